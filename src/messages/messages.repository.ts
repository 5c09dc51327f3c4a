import { type EntityManager } from 'typeorm';
import { type Leased, Leases } from '../common/database/leases.js';
import { type Leftovers } from '../common/database/leftovers.js';
import { sql } from '../common/database/sql.js';
import { gaugeOfStates, type SharedGauge } from '../common/ops/metrics.js';
import { type MessageState, messageStates } from '../common/column-values.js';
import { type MessageEntity } from './message.entity.js';
import { type IdPage, pageOfLinks } from '../common/id-page.js';

export const messageJob = 'message';

export type MessageKey = Readonly<Pick<MessageEntity, 'workspaceId' | 'id'>>;

export type NewMessage = Readonly<
  Pick<
    MessageEntity,
    | 'id'
    | 'kind'
    | 'recipient'
    | 'replyTo'
    | 'subject'
    | 'body'
    | 'workflowId'
    | 'taskId'
    | 'uniqueValue'
    | 'taskUrl'
    | 'executionId'
    | 'step'
    | 'origin'
  >
> &
  Readonly<Partial<Pick<MessageEntity, 'attachments'>>>;

/** Inserts messages. If `tx` is in a transaction, the messages are sent only after the commit. */
export async function enterMessages(
  tx: EntityManager,
  workspaceId: number,
  messages: readonly NewMessage[],
): Promise<void> {
  await sql(tx, enter, [workspaceId, JSON.stringify(messages)]);
}

const enter = {
  name: 'enter-messages',
  text: `
    INSERT INTO messages (workspace_id, id, kind, recipient, reply_to, subject, body, attachments, workflow_id, task_id, unique_value,
      task_url, execution_id, step, origin)
    SELECT $1, m.id, m.kind, m.recipient, m."replyTo", m.subject, m.body, m.attachments, m."workflowId", m."taskId", m."uniqueValue",
      m."taskUrl", m."executionId", m.step, m.origin
    FROM json_to_recordset($2::json) m (id text, kind text, recipient text, "replyTo" text, subject text, body json, attachments jsonb,
      "workflowId" integer, "taskId" bigint, "uniqueValue" text, "taskUrl" text, "executionId" text, step integer,
      origin text)`,
};

type ReadMessage = Omit<NewMessage, 'id' | 'workflowId' | 'taskId' | 'attachments' | 'origin'> &
  Readonly<Pick<MessageEntity, 'attachments' | 'tries' | 'isInDoubt' | 'createdAt'>>;

/** A message that this process has claimed. */
export type ClaimedMessage = Leased<MessageKey & ReadMessage>;

export const messageLeases = new Leases<MessageKey, ReadMessage>({
  table: 'messages',
  key: ['workspaceId', 'id'],
  isDue: "state = 'queued' AND next_at <= (SELECT clock_timestamp())",
  dueAt: 'next_at',
  isOpen: "state = 'queued'",
  read: `kind, recipient, reply_to AS "replyTo", subject, body, attachments, unique_value AS "uniqueValue",
    task_url AS "taskUrl", execution_id AS "executionId", step, tries, is_in_doubt AS "isInDoubt", created_at AS "createdAt"`,
});

/** Records that the message may have been sent. Returns false if another process has claimed the message. */
export async function doubtMessage(db: EntityManager, claimed: ClaimedMessage): Promise<boolean> {
  return (await sql(db, doubt, messageLeases.claimOf(claimed))).length > 0;
}

const doubt = {
  name: 'doubt-message',
  text: `UPDATE messages SET is_in_doubt = true WHERE ${messageLeases.isClaimed} RETURNING id`,
};

export interface TriedMessage {
  readonly state: MessageState;
  /** Why the try failed, as `keptText` writes it; null if the message was sent. */
  readonly cause: string | null;
  /** Milliseconds until the next try, if there is one. */
  readonly waitMs: number;
}

/** Records the outcome of a try; does nothing if another process has claimed the message. */
export async function recordMessage(
  db: EntityManager,
  claimed: ClaimedMessage,
  { state, cause, waitMs }: TriedMessage,
): Promise<void> {
  await sql(db, record, [...messageLeases.claimOf(claimed), state, cause, waitMs]);
}

const record = {
  name: 'record-message',
  text: `
    UPDATE messages SET state = $4, cause = $5, tries = tries + 1, is_in_doubt = false, lease_until = NULL,
      next_at = CASE WHEN $4 = 'queued' THEN clock_timestamp() + make_interval(secs => $6::float8 / 1000) END,
      finished_at = CASE WHEN $4 <> 'queued' THEN clock_timestamp() END
    WHERE ${messageLeases.isClaimed}`,
};

/** `id` is the column `place`. The next page starts after the last `id`. `shownId` is the column `id`. */
export type ListedMessage = Readonly<
  Pick<
    MessageEntity,
    | 'kind'
    | 'recipient'
    | 'subject'
    | 'state'
    | 'cause'
    | 'tries'
    | 'nextAt'
    | 'createdAt'
    | 'uniqueValue'
    | 'taskUrl'
  >
> & { readonly id: string; readonly found: string; readonly shownId: string };

/** Lists messages older than the place `after`, newest first. If `after` is '0', begins with the newest. */
export async function listMessages(
  db: EntityManager,
  workspaceId: number,
  state: MessageState | undefined,
  after: string,
  limit: number,
): Promise<IdPage<ListedMessage>> {
  const values = [workspaceId, after, limit + 1, state === undefined ? messageStates : [state]];
  return pageOfLinks(await sql<ListedMessage>(db, list, values), limit);
}

// Reads the newest messages of each state by the index, and merges them.
const list = {
  name: 'list-messages',
  text: `
    SELECT m.place AS id, m.id AS "shownId", m.kind, m.recipient, m.subject, m.state, m.cause, m.tries,
      m.next_at AS "nextAt", m.created_at AS "createdAt", m.unique_value AS "uniqueValue", m.task_url AS "taskUrl",
      count(*) OVER () AS found
    FROM (
      SELECT m.* FROM unnest($4::text[]) s (state) CROSS JOIN LATERAL (
        SELECT * FROM messages m
        WHERE m.workspace_id = $1 AND m.state = s.state
          AND m.place < COALESCE(NULLIF($2::bigint, 0), 9223372036854775807)
        ORDER BY m.place DESC LIMIT $3
      ) m
      ORDER BY m.place DESC LIMIT $3
    ) m
    ORDER BY m.place DESC`,
};

/** Makes a failed or queued message due at once, and resets its tries. Returns false for a sent message. */
export async function retryMessage(db: EntityManager, { workspaceId, id }: MessageKey): Promise<boolean> {
  return (await sql(db, retry, [workspaceId, id])).length > 0;
}

// `is_in_doubt` is not reset, because a try may be sending the message at this moment.
const retry = {
  name: 'retry-message',
  text: `
    UPDATE messages SET state = 'queued', tries = 0, next_at = clock_timestamp(), finished_at = NULL
    WHERE workspace_id = $1 AND id = $2 AND state <> 'sent' RETURNING id`,
};

export const oldMessages: Leftovers = {
  table: 'messages',
  key: 'place',
  isOver: `state <> 'queued' AND finished_at < now() - interval '30 days'`,
  most: 1000,
};

export function messageGauges(db: EntityManager): SharedGauge[] {
  const help = 'Messages that are queued, and those that ended in the last hour.';
  return [gaugeOfStates(db, { name: 'wts_messages', help, table: 'messages' }, messageStates)];
}
