import { shownEventId } from '../database/origin.js';
import { StepFailed } from '../actions/step.js';
import { type WebhookEntity } from '../entities/webhook.entity.js';
import { type Secrets } from '../executions/secrets.js';
import { compileTemplate } from '../expressions/template.js';
import { piecesOf } from '../lib/pieces.js';
import { type Pause, pauses } from '../lib/turn.js';
import { withTimeLimit } from '../lib/time-limit.js';
import { type Answer, type Outbound } from '../safe-http/client.js';
import { OutboundFailure } from '../safe-http/failure.js';
import { retryAfterMs } from '../safe-http/retry-after.js';
import { isSendable } from '../workspace/check/headers.js';
import { signatureHeaders } from './signature.js';

/** At once to one receiver. */
export const MAX_CONCURRENT = 5;
/** Milliseconds for an answer, and bytes of it that are read. */
const ANSWER_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 16_384;

/** Where to send, and what by. */
export interface Target extends Readonly<Pick<WebhookEntity, 'id' | 'workspaceId' | 'url' | 'content'>> {
  /** The id of the workspace as people chose it. */
  readonly workspace: string;
  readonly headers: Readonly<Record<string, string>>;
  /** By which what is sent is signed: two for a while after the first was replaced. */
  readonly secrets: readonly Buffer[];
}

/** What was answered, or why there was no answer. */
export interface TryOutcome {
  readonly status: number | null;
  /** Why it failed; null where it did not. Never what the other side said. */
  readonly cause: string | null;
  readonly tookMs: number;
  readonly retryAfterMs: number;
}

/** Sends an event once; throws what one of the signals was aborted with. */
export async function sendOnce(
  outbound: Outbound,
  secrets: Secrets,
  target: Target,
  message: Message,
  signals: readonly AbortSignal[],
): Promise<TryOutcome> {
  const begunAt = performance.now();
  const outcome = async (): Promise<Omit<TryOutcome, 'tookMs'>> => {
    try {
      const pause = pauses({ workspaceId: target.workspaceId });
      const body = await encode(message.body, pause);
      const headers = await headersOf(secrets, target, message.eventId, body, pause);
      return await withTimeLimit(ANSWER_TIMEOUT_MS, signals, (within) =>
        post(outbound, target, headers, Buffer.concat(body), within),
      );
    } catch (error) {
      for (const signal of signals) signal.throwIfAborted();
      if (!(error instanceof OutboundFailure || error instanceof StepFailed)) throw error;
      return { status: null, cause: error.message, retryAfterMs: 0 };
    }
  };
  return { ...(await outcome()), tookMs: Math.round(performance.now() - begunAt) };
}

/** An event, and the texts that are sent of it one behind the other: each may be long. */
interface Message {
  readonly eventId: string;
  readonly body: readonly string[];
}

/** Others have the event loop between the pieces of a long body. */
async function encode(texts: Message['body'], pause: Pause): Promise<readonly Buffer[]> {
  const bytes: Buffer[] = [];
  for (const text of texts)
    for (const piece of piecesOf(text)) {
      bytes.push(Buffer.from(piece));
      await pause();
    }
  return bytes;
}

async function headersOf(
  secrets: Secrets,
  { workspace, headers, secrets: keys }: Target,
  eventId: string,
  body: readonly Buffer[],
  pause: Pause,
): Promise<Record<string, string>> {
  const own = Object.entries(headers).map(([name, text]) => {
    const value = compileTemplate(text).render(({ name }) => secrets.value(workspace, name));
    if (!isSendable(value)) throw new StepFailed(`the header ${name} cannot be sent`);
    return [name.toLowerCase(), value] as const;
  });
  const signed = { id: shownEventId(eventId), timestamp: Math.floor(Date.now() / 1000) };
  return {
    ...Object.fromEntries(own),
    'content-type': 'application/json',
    ...(await signatureHeaders(signed, body, keys, pause)),
  };
}

async function post(
  outbound: Outbound,
  { workspaceId, url }: Target,
  headers: Record<string, string>,
  body: Buffer,
  signal: AbortSignal,
): Promise<Omit<TryOutcome, 'tookMs'>> {
  const answer = await outbound.request(url, {
    workspaceId,
    connections: MAX_CONCURRENT,
    method: 'POST',
    headers,
    body,
    signal,
    maxBytes: MAX_ANSWER_BYTES,
    ignoresBody: true,
  });
  await readToEnd(answer);
  const { status } = answer;
  const isSuccess = status >= 200 && status < 300;
  const pauseMs = retryAfterMs(answer.headers.get('retry-after') ?? '');
  return {
    status,
    cause: isSuccess ? null : `was answered with status ${status}`,
    retryAfterMs: pauseMs,
  };
}

/** The status says it all; the body is read for the connection's sake, so that it can be used again. */
async function readToEnd({ body }: Answer): Promise<void> {
  try {
    for await (const _ of body);
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
  }
}
