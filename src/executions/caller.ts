import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { OutboundFailure } from '../outbound/failure.js';
import { type Answer, type Outbound, type OutboundRequest } from '../outbound/outbound.js';
import { readJson } from '../schema/read-json.js';
import { type StepAnswer } from './ledger.js';
import { type ApiCall } from './run.js';
import { StepFailed } from './step-failed.js';

/** Bytes of an answer that are read. */
const mostBytes = 65_536;
const longestPauseMs = 60_000;

/**
 * Makes a call, again with growing pauses while the other side cannot take it, always under the same key. Throws
 * `StepFailed` with the status or the kind of failure, never with what the other side said or is.
 */
export async function makeCall(
  outbound: Outbound,
  call: ApiCall,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<StepAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryCall(outbound, call, idempotencyKey, signal);
    if ('answer' in outcome) return outcome.answer;
    if (!outcome.isPassing || attempt >= call.tries) throw new StepFailed(outcome.reason);
    await sleep(Math.min(outcome.pauseMs ?? backOff(attempt), longestPauseMs), undefined, { signal });
  }
}

type Outcome =
  | { readonly answer: StepAnswer }
  | { readonly reason: string; readonly isPassing: boolean; readonly pauseMs?: number | undefined };

async function tryCall(
  outbound: Outbound,
  { url, method, headers, body, timeoutMs }: ApiCall,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const request: OutboundRequest = {
    method: method as NonNullable<OutboundRequest['method']>,
    headers: { ...headers, 'idempotency-key': idempotencyKey },
    ...(body !== '' && { body }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    maxBytes: mostBytes,
  };
  try {
    const answer = await outbound.request(url, request);
    if (answer.status >= 200 && answer.status < 300) return { answer: await readAnswer(answer) };
    answer.body.destroy();
    const isPassing = answer.status === 408 || answer.status === 429 || answer.status >= 500;
    return { reason: `was answered with status ${answer.status}`, isPassing, pauseMs: retryAfter(answer) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OutboundFailure)) throw error;
    const isPassing = ['timed out', 'unreachable', 'incomplete', 'interrupted'].includes(error.reason);
    return { reason: error.message, isPassing };
  }
}

/** The `task` of an answer that is JSON and has one; another answer says nothing. */
async function readAnswer({ headers, body }: Answer): Promise<StepAnswer> {
  const isJson = /[/+]json\b/i.test(headers.get('content-type') ?? '');
  const bytes = await buffer(body).catch((error: unknown) => {
    const isLarge = error instanceof OutboundFailure && error.reason === 'too large';
    if (isLarge && !isJson) return Buffer.alloc(0);
    throw error;
  });
  try {
    const answer = readJson(bytes, { depth: 32, keys: 2000 });
    return { task: answer instanceof Map && answer.has('task') ? bytes.toString() : null };
  } catch {
    return { task: null };
  }
}

function backOff(attempt: number): number {
  return 500 * 2 ** (attempt - 1) * (0.5 + Math.random());
}

/** Milliseconds that the other side asks us to wait. */
function retryAfter({ headers }: Answer): number | undefined {
  const text = headers.get('retry-after');
  if (text === undefined) return undefined;
  const ms = /^\d{1,6}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}
