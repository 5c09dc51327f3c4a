import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type RuleStateEntity } from '../entities/rule-state.entity.js';
import { type Workflow } from '../workspace/workspace.js';

/** What is known of a rule beside its definition. */
export type RuleState = Readonly<Pick<RuleStateEntity, 'ruleId' | 'beginsAt' | 'isPaused'>>;

/** The states of the rules of a workflow, by their ids. */
export async function ruleStatesOf(
  db: EntityManager,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
): Promise<ReadonlyMap<string, RuleState>> {
  const rows = await sql<RuleState>(db, read, [workspaceId, id]);
  return new Map(rows.map((row) => [row.ruleId, row]));
}

const read = {
  name: 'read-rule-states',
  text: `
    SELECT rule_id AS "ruleId", begins_at AS "beginsAt", is_paused AS "isPaused" FROM rule_states
    WHERE workspace_id = $1 AND workflow_id = $2`,
};

/** Lets a workflow have these rules and no others: a new one begins now, one that stays keeps its state. */
export async function setRules(
  db: EntityManager,
  workspaceId: number,
  workflowId: number,
  ids: readonly string[],
): Promise<void> {
  await sql(db, set, [workspaceId, workflowId, ids]);
}

const set = {
  name: 'set-rules',
  text: `
    WITH gone AS (
      DELETE FROM rule_states WHERE workspace_id = $1 AND workflow_id = $2 AND rule_id <> ALL ($3::text[])
    )
    INSERT INTO rule_states (workspace_id, workflow_id, rule_id) SELECT $1, $2, id FROM unnest($3::text[]) id
    ON CONFLICT DO NOTHING`,
};

/** Pauses or resumes a rule; false where it was so already. */
export async function pauseRule(
  tx: EntityManager,
  { workspaceId, id }: Pick<Workflow, 'workspaceId' | 'id'>,
  ruleId: string,
  isPaused: boolean,
): Promise<boolean> {
  return (await sql(tx, pause, [workspaceId, id, ruleId, isPaused])).length > 0;
}

const pause = {
  name: 'pause-rule',
  text: `
    UPDATE rule_states SET is_paused = $4
    WHERE workspace_id = $1 AND workflow_id = $2 AND rule_id = $3 AND is_paused <> $4 RETURNING rule_id`,
};
