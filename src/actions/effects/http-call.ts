import { OutboundFailure } from '../../../packages/safe-http/failure.js';
import { type HttpAnswer } from '../../../packages/safe-http/bounded-answer.js';
import { Outbound, type OutboundRequest } from '../../../packages/safe-http/client.js';
import { readUrl } from '../../../packages/safe-http/read-url.js';
import { type Attempt, type EffectAnswer, type EffectKind, type Sender } from '../effect.js';
import { StepFailed } from '../step.js';
import { type Json, type JsonObject, writeJson } from '../../../packages/exact-json/json.js';
import { JsonRefusal, readJson } from '../../../packages/exact-json/read-json.js';
import { tracedRequest } from '../../common/outbound.js';
import { say } from '../../common/message.js';

const MAX_ANSWER_BYTES = 65_536;
export const ANSWER_LIMITS = { depth: 32, keys: 2000 };

interface HttpCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly tries: number;
  readonly reads: 'task' | 'all';
}

export const httpCall: EffectKind<HttpCall> = {
  room: ({ url, body }) => ({ receiver: readUrl(url)?.origin ?? '', held: body.length }),
  tries: ({ tries, timeoutMs }) => ({ most: tries, timeoutMs }),
  async attempt(call, sender, signal) {
    try {
      return await send(call, sender, signal);
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      const isPassing = ['timed out', 'unreachable', 'incomplete', 'interrupted'].includes(error.reason);
      return { reason: error.message, isPassing };
    }
  },
};

async function send(
  { url, method, headers, body, reads }: HttpCall,
  { workspaceId, idempotencyKey, provider }: Sender,
  signal: AbortSignal,
): Promise<Attempt> {
  const answer = await tracedRequest(provider(Outbound), url, {
    workspaceId,
    method: method as NonNullable<OutboundRequest['method']>,
    headers: {
      ...headers,
      'idempotency-key': idempotencyKey,
    },
    ...(body !== '' && { body }),
    signal,
    maxBytes: MAX_ANSWER_BYTES,
  });
  if (answer.status >= 200 && answer.status < 300) return { answer: await readAnswer(answer, reads) };
  answer.body.destroy();
  const isPassing = answer.status === 408 || answer.status === 429 || answer.status >= 500;
  return {
    reason: say`was answered with status ${answer.status}`,
    isPassing,
    retryAfter: answer.headers.get('retry-after'),
  };
}

/** Returns the object `task` of a JSON answer or, if `reads` is 'all', the whole answer. Null if absent. */
async function readAnswer({ headers, body }: HttpAnswer, reads: HttpCall['reads']): Promise<EffectAnswer> {
  const type = headers.get('content-type');
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof OutboundFailure) || mayBeJson(type, chunks, error)) throw error;
    return { task: null };
  }
  const answer = parse(Buffer.concat(chunks), reads);
  if (reads === 'all') return { task: answer === undefined ? null : writeJson(answer) };
  const task: Json = answer instanceof Map ? ((answer as JsonObject).get('task') ?? null) : null;
  return { task: task instanceof Map ? writeJson(task as JsonObject) : null };
}

function mayBeJson(
  type: string | undefined,
  chunks: readonly Buffer[],
  { reason }: OutboundFailure,
): boolean {
  if (type !== undefined) return /[/+]json\b/i.test(type);
  return reason !== 'too large' || /^\s*[[{]/.test(Buffer.concat(chunks).toString());
}

/** Parses the bytes. Undefined for malformed JSON, and for refused JSON that the step does not read. */
function parse(bytes: Buffer, reads: HttpCall['reads']): Json | undefined {
  try {
    return readJson(bytes, ANSWER_LIMITS);
  } catch (error) {
    // `readJson` refuses some valid JSON, for example duplicate keys. If the step reads such an answer, the
    // step fails, so that no values are lost silently.
    if (error instanceof JsonRefusal && isRead(bytes.toString(), reads))
      throw new StepFailed('its answer is not JSON that the service accepts');
    return undefined;
  }
}

function isRead(text: string, reads: HttpCall['reads']): boolean {
  try {
    const answer: unknown = JSON.parse(text);
    return (
      reads === 'all' || (typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'task'))
    );
  } catch {
    return false;
  }
}
