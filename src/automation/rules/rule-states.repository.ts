import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { RuleStateEntity } from './rule-state.entity.js';
import { type Workflow } from '../../workflows/model/workspace.js';

export async function ruleStatesOf(
  db: EntityManager,
  { workspaceId, id: workflowId }: Pick<Workflow, 'workspaceId' | 'id'>,
): Promise<ReadonlyMap<string, RuleStateEntity>> {
  const rows = await db.findBy(RuleStateEntity, { workspaceId, workflowId });
  return new Map(rows.map((row) => [row.ruleId, row]));
}

/** Stores a workspace's rules. Deletes rules that are not in `rules`. A new rule judges only later events. */
export async function setRules(
  db: EntityManager,
  workspaceId: number,
  rules: readonly Pick<RulePlace, 'workflowId' | 'ruleId'>[],
): Promise<void> {
  const [workflows, ids] = [rules.map(({ workflowId }) => workflowId), rules.map(({ ruleId }) => ruleId)];
  await sql(db, set, [workspaceId, workflows, ids]);
}

const set = {
  name: 'set-rules',
  text: `
    WITH wanted AS (
      SELECT * FROM unnest($2::integer[], $3::text[]) AS w (workflow_id, rule_id)
    ), gone AS (
      DELETE FROM rule_states WHERE workspace_id = $1
        AND (workflow_id, rule_id) NOT IN (SELECT workflow_id, rule_id FROM wanted)
    )
    INSERT INTO rule_states (workspace_id, workflow_id, rule_id, begins_behind)
    SELECT $1, workflow_id, rule_id, COALESCE((SELECT max(place) FROM events WHERE workspace_id = $1), 0) FROM wanted
    ON CONFLICT DO NOTHING`,
};

export type RulePlace = Readonly<Pick<RuleStateEntity, 'workspaceId' | 'workflowId' | 'ruleId'>>;

/** Pauses or resumes a rule; returns whether its state changed. */
export async function setPaused(tx: EntityManager, rule: RulePlace, isPaused: boolean): Promise<boolean> {
  return (await tx.update(RuleStateEntity, { ...rule, isPaused: !isPaused }, { isPaused })).affected === 1;
}
