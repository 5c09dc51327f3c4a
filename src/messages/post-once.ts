import { withTimeLimit } from '../../packages/fair/time-limit.js';
import { type HttpAnswer } from '../../packages/safe-http/bounded-answer.js';
import { type Outbound } from '../../packages/safe-http/client.js';
import { OutboundFailure } from '../../packages/safe-http/failure.js';
import { retryAfterMs } from '../../packages/safe-http/retry-after.js';
import { TellingError } from '../common/errors.js';
import { type Message, say } from '../common/message.js';
import { tracedRequest } from '../common/outbound.js';

interface Posted {
  readonly workspaceId: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PostOutcome {
  /** Null if there was no response. */
  readonly status: number | null;
  /** Why the request failed; null if it succeeded. Contains no text from the receiver. */
  readonly cause: Message | null;
  readonly retryAfterMs: number;
}

/** How long to wait for a response, in milliseconds, and how many bytes of its body to read. */
const ANSWER_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 16_384;

/** Posts JSON to another system once. Returns failures, but throws the reason of an aborted signal. */
export async function postOnce(
  outbound: Outbound,
  signals: readonly AbortSignal[],
  compose: () => Posted,
): Promise<PostOutcome> {
  try {
    const { url, headers, ...posted } = compose();
    return await withTimeLimit(ANSWER_TIMEOUT_MS, signals, async (signal) => {
      const sent = { ...posted, headers: { 'content-type': 'application/json', ...headers } };
      const request = { ...sent, method: 'POST', signal, maxBytes: MAX_ANSWER_BYTES } as const;
      return outcomeOf(await tracedRequest(outbound, url, request));
    });
  } catch (error) {
    for (const signal of signals) signal.throwIfAborted();
    if (error instanceof TellingError) return { status: null, cause: error.said, retryAfterMs: 0 };
    if (error instanceof OutboundFailure) return { status: null, cause: error.message, retryAfterMs: 0 };
    throw error;
  }
}

/** Reads and discards the body: this frees the connection for the next request. */
async function outcomeOf({ status, headers, body }: HttpAnswer): Promise<PostOutcome> {
  try {
    for await (const _ of body);
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
  }
  return {
    status,
    cause: status >= 200 && status < 300 ? null : say`was answered with status ${status}`,
    retryAfterMs: retryAfterMs(headers.get('retry-after') ?? ''),
  };
}
