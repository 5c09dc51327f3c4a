import { OutboundFailure } from '../outbound/failure.js';
import { type Answer } from '../outbound/outbound.js';
import { type Json, type JsonObject } from '../schema/json.js';
import { JsonRefusal, readJson } from '../schema/read-json.js';
import { writeJson } from '../schema/write-json.js';
import { type StepAnswer } from './ledger.js';
import { StepFailed } from './step-failed.js';

/** The `task` of an answer that is JSON and has one, and nothing else of it; an answer that is not JSON says nothing. */
export async function readAnswer({ headers, body }: Answer): Promise<StepAnswer> {
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

/** Whether what could not be read to its end is JSON as far as anybody can tell. */
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
    // Of what says a thing twice or is nested without measure, nothing is taken; a task there must not be lost silently.
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
