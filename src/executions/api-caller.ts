import { type StepAnswer } from '../actions/step.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutboundFailure } from '../../packages/safe-http/failure.js';
import { type Outbound, type OutboundRequest, type HttpAnswer } from '../../packages/safe-http/client.js';
import { retryAfterMs } from '../../packages/safe-http/retry-after.js';
import { withTimeLimit } from '../../packages/fair/time-limit.js';
import { type ApiCall, StepFailed } from '../actions/step.js';
import { type Json, type JsonObject, writeJson } from '../../packages/exact-json/json.js';
import { JsonRefusal, readJson } from '../../packages/exact-json/read-json.js';

/** Bytes of an answer that are read. */
const MAX_ANSWER_BYTES = 65_536;

/** Who makes a call. */
export interface Sender {
  readonly workspaceId: number;
  /** All tries of a call send this key. */
  readonly idempotencyKey: string;
}

/**
 * Makes a call, again with growing pauses while the other side cannot take it, always under the same key. Throws
 * `StepFailed` with the status or the kind of failure, never with what the other side said or is.
 */
export async function makeCall(
  outbound: Outbound,
  call: ApiCall,
  sender: Sender,
  signal: AbortSignal,
): Promise<StepAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryCall(outbound, call, sender, signal);
    if ('answer' in outcome) return outcome.answer;
    const { reason, isPassing, retryAfter } = outcome;
    const pauseMs = isPassing && attempt < call.tries ? pauseAfter(attempt, retryAfter) : undefined;
    if (pauseMs === undefined) throw new StepFailed(reason);
    await sleep(pauseMs, undefined, { signal });
  }
}

type Outcome =
  | { readonly answer: StepAnswer }
  | { readonly reason: string; readonly isPassing: boolean; readonly retryAfter?: string | undefined };

async function tryCall(
  outbound: Outbound,
  call: ApiCall,
  sender: Sender,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await withTimeLimit(call.timeoutMs, [signal], (within) => send(outbound, call, sender, within));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OutboundFailure)) throw error;
    const isPassing = ['timed out', 'unreachable', 'incomplete', 'interrupted'].includes(error.reason);
    return { reason: error.message, isPassing };
  }
}

async function send(
  outbound: Outbound,
  { url, method, headers, body }: ApiCall,
  { workspaceId, idempotencyKey }: Sender,
  signal: AbortSignal,
): Promise<Outcome> {
  const answer = await outbound.request(url, {
    workspaceId,
    method: method as NonNullable<OutboundRequest['method']>,
    headers: { ...headers, 'idempotency-key': idempotencyKey },
    ...(body !== '' && { body }),
    signal,
    maxBytes: MAX_ANSWER_BYTES,
  });
  if (answer.status >= 200 && answer.status < 300) return { answer: await readAnswer(answer) };
  answer.body.destroy();
  const isPassing = answer.status === 408 || answer.status === 429 || answer.status >= 500;
  return {
    reason: `was answered with status ${answer.status}`,
    isPassing,
    retryAfter: answer.headers.get('retry-after'),
  };
}

/** A system that asks for a longer pause than this is not called again. */
const MAX_PAUSE_MS = 300_000;

/** Milliseconds to wait before the next try: longer each time, and at least what `Retry-After` asks for; undefined: no more tries. */
export function pauseAfter(tries: number, retryAfter: string | undefined): number | undefined {
  // With jitter, so that many calls do not come back at once; a pause is never shorter than the one before.
  const ownMs = Math.min(500 * 2 ** (tries - 1), 60_000) * (0.75 + Math.random() / 2);
  const pauseMs = Math.max(ownMs, retryAfterMs(retryAfter ?? ''));
  return pauseMs > MAX_PAUSE_MS ? undefined : pauseMs;
}

/** The `task` of an answer that is JSON and has one, and nothing else of it; an answer that is not JSON says nothing. */
async function readAnswer({ headers, body }: HttpAnswer): Promise<StepAnswer> {
  const type = headers.get('content-type');
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof OutboundFailure) || mayBeJson(type, chunks, error)) throw error;
    return { task: null };
  }
  const answer = parse(Buffer.concat(chunks));
  const task: Json = answer instanceof Map ? ((answer as JsonObject).get('task') ?? null) : null;
  return { task: task instanceof Map ? writeJson(task as JsonObject) : null };
}

/** Whether the beginning of an answer that was cut short looks like JSON. */
function mayBeJson(
  type: string | undefined,
  chunks: readonly Buffer[],
  { reason }: OutboundFailure,
): boolean {
  if (type !== undefined) return /[/+]json\b/i.test(type);
  return reason !== 'too large' || /^\s*[[{]/.test(Buffer.concat(chunks).toString());
}

function parse(bytes: Buffer): Json {
  try {
    return readJson(bytes, { depth: 32, keys: 2000 });
  } catch (error) {
    // Keys given twice and excessive nesting are faults here, too: the `task` of an answer must not be lost silently.
    if (error instanceof JsonRefusal && hasTask(bytes.toString()))
      throw new StepFailed('its answer is JSON that cannot be taken');
    return null;
  }
}

function hasTask(text: string): boolean {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'task');
  } catch {
    return false;
  }
}
