import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Starter } from '../../executions/runs/run.js';
import { type Rule } from './compiled-rules.js';

interface Limits {
  /** Whether `perTask` refuses the run. It can refuse only runs for events that a rule caused. */
  readonly isThrottled: boolean;
  /**
   * Whether an earlier run on the task was throttled within the period of `perTask`. If so, an event has
   * already reported the throttling.
   */
  readonly isTold: boolean;
  /** Whether the run has to wait: other runs of the rule wait, or the rule has reached `perRule`. */
  readonly mustWait: boolean;
}

export async function limitsOf(
  tx: EntityManager,
  { workspaceId, workflowId, starterId }: Starter,
  { taskId, isCaused }: { readonly taskId: string; readonly isCaused: boolean },
  { perRule, perTask }: Rule,
): Promise<Limits> {
  const rates = [perRule.count, perRule.seconds, perTask.count, perTask.seconds];
  const values = [workspaceId, workflowId, starterId, ...rates, taskId, isCaused];
  const [row] = await sql<Limits>(tx, limits, values);
  return row ?? { isThrottled: false, isTold: false, mustWait: false };
}

const ofRule = `r.workspace_id = $1 AND r.workflow_id = $2 AND r.kind = 'rule' AND r.starter_id = $3`;

const since = (seconds: string): string =>
  `> service_now(statement_timestamp()) - make_interval(secs => ${seconds})`;

/** SQL: whether a rule ($1, $2 and $3) has started $4 runs or more in the last $5 seconds. */
export const isUsedUp = `(
      SELECT count(*) >= $4 FROM (
        SELECT FROM runs r WHERE ${ofRule} AND r.started_at ${since('$5')} LIMIT $4
      ) r
    )`;

// A task may have many runs, so counting them takes time. They are counted only if a rule caused the event.
const limits = {
  name: 'limits-of-rule',
  text: `
    SELECT l."isThrottled", l."isThrottled" AND EXISTS (
      SELECT FROM runs r
      WHERE ${ofRule} AND r.task_id = $8 AND r.result = 'throttled' AND r.created_at ${since('$7')}
    ) AS "isTold", EXISTS (
      SELECT FROM runs r WHERE ${ofRule} AND r.result = 'waiting'
    ) OR ${isUsedUp} AS "mustWait"
    FROM (
      SELECT $9::boolean AND (
        SELECT count(*) >= $6 FROM (
          SELECT FROM runs r
          WHERE ${ofRule} AND r.task_id = $8 AND r.is_caused AND r.started_at ${since('$7')} LIMIT $6
        ) r
      ) AS "isThrottled"
    ) l`,
};
