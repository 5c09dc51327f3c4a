import { setTimeout as sleep } from 'node:timers/promises';
import { OutboundFailure } from '../outbound/failure.js';
import { type Outbound, type OutboundRequest } from '../outbound/outbound.js';
import { withTimeLimit } from '../time-limit.js';
import { type StepAnswer } from './ledger.js';
import { pauseAfter } from './pause.js';
import { readAnswer } from './read-answer.js';
import { type ApiCall } from './run.js';
import { StepFailed } from './step-failed.js';

/** Bytes of an answer that are read. */
const mostBytes = 65_536;

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
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await withTimeLimit(call.timeoutMs, [signal], (within) =>
      send(outbound, call, idempotencyKey, within),
    );
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
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const answer = await outbound.request(url, {
    method: method as NonNullable<OutboundRequest['method']>,
    headers: { ...headers, 'idempotency-key': idempotencyKey },
    ...(body !== '' && { body }),
    signal,
    maxBytes: mostBytes,
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
