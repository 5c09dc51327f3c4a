import { type EntityManager } from 'typeorm';
import { shownEventId, type ChainLink } from '../../common/origin.js';
import { sql } from '../../common/database/sql.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type EventTaskKey, recordEvent } from '../../events/record-event.js';
import { causeOfRun, type Starter } from '../../executions/runs/run.js';
import { type Rate } from './rule-definition.js';

type Happened = EventTaskKey & Pick<RecordedEvent, 'id'>;

/** Records that a chain of rules was stopped because it had returned to its start or become too long. */
export async function recordLoop(
  tx: EntityManager,
  starter: Starter,
  event: Happened,
  chain: readonly ChainLink[],
): Promise<void> {
  await record(tx, 'rule.loop', starter, event, { rule: starter.starterId, chain });
}

/** Records that a rule skipped a run on a task, at most once within the period of the rate. */
export async function recordThrottle(
  tx: EntityManager,
  starter: Starter,
  event: Happened,
  { seconds }: Rate,
): Promise<void> {
  const { workspaceId, workflowId, starterId } = starter;
  const values = [workspaceId, workflowId, starterId, event.taskId, seconds];
  const [row] = await sql<{ count: number }>(tx, throttled, values);
  if (row?.count === 1) await record(tx, 'rule.throttled', starter, event, { rule: starterId });
}

const throttled = {
  name: 'count-throttled-runs',
  text: `
    SELECT count(*)::integer AS count FROM (
      SELECT FROM runs r
      WHERE r.workspace_id = $1 AND r.workflow_id = $2 AND r.kind = 'rule' AND r.starter_id = $3 AND r.task_id = $4
        AND r.result = 'throttled' AND r.created_at > service_now(statement_timestamp()) - make_interval(secs => $5)
      LIMIT 2
    ) r`,
};

async function record(
  tx: EntityManager,
  type: string,
  starter: Starter,
  event: Happened,
  about: { readonly rule: string; readonly chain?: readonly ChainLink[] },
): Promise<void> {
  const { workspaceId, workflowId } = starter;
  const cause = causeOfRun(starter, shownEventId(event.id), about.chain ?? []);
  await recordEvent(tx, { workspaceId, type, task: event, workflowId, origin: { cause }, about });
}
