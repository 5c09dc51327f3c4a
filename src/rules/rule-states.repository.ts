import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type RuleStateEntity } from '../entities/rule-state.entity.js';
import { type Workflow } from '../workspace/workspace.js';

/** The state of a rule, which its definition does not hold. */
export type RuleState = Readonly<Pick<RuleStateEntity, 'ruleId' | 'beginsAt' | 'beginsBehind' | 'isPaused'>>;

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
    SELECT rule_id AS "ruleId", begins_at AS "beginsAt", begins_behind AS "beginsBehind", is_paused AS "isPaused"
    FROM rule_states WHERE workspace_id = $1 AND workflow_id = $2`,
};

/** Sets the rules of a workflow: new ones begin now, kept ones keep their state, and others are removed. */
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
    INSERT INTO rule_states (workspace_id, workflow_id, rule_id, begins_behind)
    SELECT $1, $2, id, COALESCE((SELECT max(place) FROM events WHERE workspace_id = $1), 0) FROM unnest($3::text[]) id
    ON CONFLICT DO NOTHING`,
};

/** A choice of rules of a workspace: all, those of a workflow, or the one with this id. */
export interface RuleChoice {
  readonly workspaceId: number;
  readonly workflowId?: number | undefined;
  readonly ruleId?: string | undefined;
}

/** A rule whose state was changed. */
export type ChangedRule = Readonly<Pick<RuleStateEntity, 'workflowId' | 'ruleId'>>;

/** Pauses or resumes rules; returns those whose state changed. */
export async function setPaused(
  tx: EntityManager,
  { workspaceId, workflowId, ruleId }: RuleChoice,
  isPaused: boolean,
): Promise<ChangedRule[]> {
  return sql<ChangedRule>(tx, pause, [workspaceId, workflowId ?? null, ruleId ?? null, isPaused]);
}

// Locks rows in one order, so that concurrent calls wait for each other without a deadlock.
const pause = {
  name: 'pause-rules',
  text: `
    WITH locked AS (
      SELECT workflow_id, rule_id FROM rule_states
      WHERE workspace_id = $1 AND workflow_id = COALESCE($2, workflow_id) AND rule_id = COALESCE($3, rule_id)
      ORDER BY workflow_id, rule_id FOR UPDATE
    )
    UPDATE rule_states s SET is_paused = $4 FROM locked l
    WHERE s.workspace_id = $1 AND s.workflow_id = l.workflow_id AND s.rule_id = l.rule_id AND s.is_paused <> $4
    RETURNING s.workflow_id AS "workflowId", s.rule_id AS "ruleId"`,
};
