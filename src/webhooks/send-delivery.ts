import { shownEventId } from '../common/origin.js';
import { TellingError } from '../common/errors.js';
import { type WebhookEntity } from './webhook.entity.js';
import { type Secrets } from '../access/secrets.js';
import { compileTemplate } from '../workflows/expressions/template.js';
import { withTimeLimit } from '../../packages/fair/time-limit.js';
import { type HttpAnswer } from '../../packages/safe-http/bounded-answer.js';
import { type Outbound } from '../../packages/safe-http/client.js';
import { OutboundFailure } from '../../packages/safe-http/failure.js';
import { retryAfterMs } from '../../packages/safe-http/retry-after.js';
import { isSendable } from '../actions/check/headers.js';
import { CAUSE_HEADER } from '../common/sealed-cause.js';
import { signatureHeaders } from '../common/webhook-signature.js';
import { tracedRequest } from '../common/outbound.js';
import { type Message, say } from '../common/message.js';
import { type EntityManager } from 'typeorm';
import { serializeTask } from '../workflows/fields/serialize-task.js';
import { workflowOfTask } from '../tasks/store/task-keys.js';
import { loadTask } from '../tasks/store/task.repository.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type DueDelivery } from './deliveries.repository.js';
import { Scope } from '../workflows/model/scope.js';

/** The most simultaneous requests to one receiver. */
export const MAX_CONCURRENT = 5;
/** How long to wait for an answer in milliseconds, and how many bytes of it to read. */
const ANSWER_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 16_384;

export interface Target extends Readonly<Pick<WebhookEntity, 'id' | 'workspaceId' | 'url' | 'content'>> {
  /** The id of the workspace in its definition. */
  readonly workspace: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets that sign a delivery. For some time after a rotation there are two. */
  readonly secrets: readonly Buffer[];
}

export interface TryOutcome {
  readonly status: number | null;
  /** Why it failed; null if it succeeded. Contains no text from the receiver. */
  readonly cause: Message | null;
  readonly tookMs: number;
  readonly retryAfterMs: number;
}

/** Sends an event once; throws the reason of an aborted signal. */
export async function sendOnce(
  outbound: Outbound,
  secrets: Secrets,
  target: Target,
  message: Sent,
  signals: readonly AbortSignal[],
): Promise<TryOutcome> {
  const begunAt = performance.now();
  const outcome = async (): Promise<Omit<TryOutcome, 'tookMs'>> => {
    try {
      const headers = headersOf(secrets, target, message);
      return await withTimeLimit(ANSWER_TIMEOUT_MS, signals, (within) =>
        post(outbound, target, headers, message.body, within),
      );
    } catch (error) {
      for (const signal of signals) signal.throwIfAborted();
      if (!(error instanceof OutboundFailure || error instanceof TellingError)) throw error;
      return {
        status: null,
        cause: error instanceof TellingError ? error.said : error.message,
        retryAfterMs: 0,
      };
    }
  };
  return { ...(await outcome()), tookMs: Math.round(performance.now() - begunAt) };
}

interface Sent {
  readonly eventId: string;
  readonly body: string;
  /** The sealed cause of the event. */
  readonly cause?: string | undefined;
}

function headersOf(
  secrets: Secrets,
  { workspace, headers, secrets: keys }: Target,
  { eventId, body, cause }: Sent,
): Record<string, string> {
  const own = Object.entries(headers).map(([name, text]) => {
    const value = compileTemplate(text).render(({ name }) => secrets.value(workspace, name));
    if (!isSendable(value)) throw new TellingError(say`the header ${name} cannot be sent`);
    return [name.toLowerCase(), value] as const;
  });
  const signed = { id: shownEventId(eventId), timestamp: Math.floor(Date.now() / 1000) };
  return {
    ...Object.fromEntries(own),
    'content-type': 'application/json',
    ...signatureHeaders(signed, body, keys),
    ...(cause !== undefined && { [CAUSE_HEADER]: cause }),
  };
}

async function post(
  outbound: Outbound,
  { workspaceId, url }: Target,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Omit<TryOutcome, 'tookMs'>> {
  const answer = await tracedRequest(outbound, url, {
    workspaceId,
    method: 'POST',
    headers,
    body,
    signal,
    maxBytes: MAX_ANSWER_BYTES,
  });
  await readToEnd(answer);
  const { status } = answer;
  const isSuccess = status >= 200 && status < 300;
  const pauseMs = retryAfterMs(answer.headers.get('retry-after') ?? '');
  return {
    status,
    cause: isSuccess ? null : say`was answered with status ${status}`,
    retryAfterMs: pauseMs,
  };
}

/** The status is all that matters. The body is read only so that the connection can be used again. */
async function readToEnd({ body }: HttpAnswer): Promise<void> {
  try {
    for await (const _ of body);
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
  }
}

interface Parcel {
  readonly delivery: DueDelivery;
  readonly webhook: Pick<WebhookEntity, 'id' | 'content'>;
  /** The envelope of its event; undefined if the event is no longer kept. */
  readonly envelope: string | undefined;
}

/** The body of a delivery; undefined if its event is no longer kept. */
export async function bodyOf(
  db: EntityManager,
  workspace: Workspace,
  { delivery, webhook, envelope }: Parcel,
): Promise<string | undefined> {
  if (delivery.eventPlace === null) return testOf(workspace, webhook.id, delivery);
  if (envelope === undefined) return undefined;
  if (webhook.content === 'changes' || delivery.taskId === null) return envelope;
  return `${envelope.slice(0, -2)},"current":${await currentTask(db, workspace, delivery.taskId)}}}`;
}

function testOf(workspace: Workspace, webhook: string, { eventId, type, createdAt }: DueDelivery): string {
  const data = {
    workspace: workspace.slug,
    workflow: null,
    task: null,
    actor: { kind: 'system' },
    execution: null,
    request_id: null,
    webhook: { id: webhook },
  };
  return JSON.stringify({ id: shownEventId(eventId), type, timestamp: createdAt.toISOString(), data });
}

/** The task as it is now, with its version; null if it was deleted. */
async function currentTask(db: EntityManager, workspace: Workspace, taskId: string): Promise<string> {
  const workflow = await workflowOfTask(db, workspace.id, [...workspace.workflows.values()], taskId);
  const task = workflow && (await loadTask(db, new Scope(workflow), taskId));
  if (!workflow || !task) return 'null';
  return `{"version":${task.version},"task":${serializeTask(workflow.schema, task)}}`;
}
