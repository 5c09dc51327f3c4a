import { type EntityManager } from 'typeorm';
import { nameOfPart, whyStale } from '../actions/requirements/approvals/approval-messages.js';
import { sql } from '../common/database/sql.js';
import { type ApprovalEntity } from '../actions/requirements/approvals/approval.entity.js';
import { type Message } from '../common/message.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { type Workflow } from '../workflows/model/workspace.js';

/** A decision on an action that has succeeded since, or one that was replaced; kept as evidence. */
export interface PastDecision extends Readonly<
  Pick<ApprovalEntity, 'actionId' | 'groupId' | 'decision' | 'comment' | 'via' | 'decidedAt'>
> {
  readonly by: string | null;
  readonly for: string | null;
  /** Whether it counted when the action succeeded. */
  readonly hasCounted: boolean;
  /** Why it did not count. */
  readonly because: Message | null;
  /** The parts that it covered, by their present names; undefined for all fields and links. */
  readonly covers: readonly string[] | undefined;
}

/** The maximum number of decisions shown. */
const MAX_SHOWN = 100;

/** The past decisions on a task, newest first. */
export async function pastDecisions(
  db: EntityManager,
  { workspaceId, id, schema }: Workflow,
  taskId: string,
): Promise<PastDecision[]> {
  const rows = await sql<ApprovalEntity>(db, past, [workspaceId, id, taskId, MAX_SHOWN]);
  return rows.map((row) => shown(row, schema));
}

const past = {
  name: 'past-decisions',
  text: `
    SELECT action_id AS "actionId", group_id AS "groupId", by_id AS "byId", for_id AS "forId", decision, comment, via, covers,
      decided_at AS "decidedAt", state, because
    FROM approvals
    WHERE workspace_id = $1 AND workflow_id = $2 AND task_id = $3 AND (is_past OR state = 'replaced')
    ORDER BY id DESC LIMIT $4`,
};

function shown(row: ApprovalEntity, schema: TaskSchema): PastDecision {
  const { actionId, groupId, decision, comment, via, decidedAt, byId, forId, covers, state, because } = row;
  const emailOf = (user: string | null): string | null =>
    user === null ? null : (schema.users.get(user)?.email ?? null);
  const parts = covers.includes('*') ? undefined : covers.map((part) => nameOfPart(part, schema));
  return {
    ...{ actionId, groupId, decision, comment, via, decidedAt },
    by: emailOf(byId),
    for: emailOf(forId),
    hasCounted: state === 'used',
    // If a change made the decision stale, that is a better reason than its replacement.
    because: because === null ? reasons[state] : whyStale(because, schema),
    covers: parts && [...new Set(parts)],
  };
}

const reasons: Readonly<Record<ApprovalEntity['state'], Message | null>> = {
  live: null,
  stale: null,
  used: null,
  expired: 'it expired',
  withdrawn: 'it was withdrawn',
  replaced: 'it was replaced by a later one',
};
