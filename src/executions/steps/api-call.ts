import { compileTemplate } from '../../expressions/template.js';
import { type JsonValue } from '../../definitions/json-value.js';
import { type Json, type JsonObject } from '../../schema/json.js';
import { readJson } from '../../schema/read-json.js';
import { serializeTask } from '../../schema/serialize-task.js';
import { changeTask, type Run } from '../run.js';
import { StepFailed } from '../step-failed.js';
import { type StepType } from '../step-type.js';
import { urlOf } from '../url-of.js';
import { referredTo, shown } from '../values-of.js';

/** Tells another system, and changes the task as that answers. */
export const apiCall: StepType<'api_call'> = async (step, run) => {
  const { url, method = 'POST', headers = {}, body, timeout_seconds = 10, tries = 3 } = step;
  const plain = (text: string): string =>
    compileTemplate(text).render(({ name, secret }) =>
      secret ? run.secret(name) : shown(referredTo(name, run.situation)),
    );
  const { task } = await run.call({
    url: urlOf(url, run),
    method,
    headers: headersOf(headers, plain, body),
    body: method === 'GET' || method === 'HEAD' ? '' : bodyOf(body, run, plain),
    timeoutMs: Math.ceil(timeout_seconds * 1000),
    tries,
  });
  if (task !== null) changeTask(run, writableOf(task, run));
};

function headersOf(
  headers: { readonly [name: string]: string },
  plain: (text: string) => string,
  body: unknown,
): Record<string, string> {
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  const rendered = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), plain(text)] as const);
  for (const [name, value] of rendered)
    if (!/^[\t\x20-\x7e\xa0-\xff]*$/.test(value)) throw new StepFailed(`the header ${name} cannot be sent`);
  return { 'content-type': type, ...Object.fromEntries(rendered) };
}

function bodyOf(
  body: string | { [key: string]: JsonValue } | undefined,
  run: Run,
  plain: (text: string) => string,
): string {
  if (typeof body === 'string') return plain(body);
  if (body !== undefined) return JSON.stringify(filled(body, run, plain));
  const { workflow, task, performer } = run.situation;
  const user = performer && {
    id: performer.id,
    email: performer.email,
    first_name: performer.firstName ?? null,
    last_name: performer.lastName ?? null,
  };
  // The task as text, for its numbers and the order of its keys.
  const [action, by] = [run.actionName, user ?? null].map((value) => JSON.stringify(value));
  return `{"action":${action ?? ''},"user":${by ?? ''},"task":${serializeTask(workflow.schema, task)}}`;
}

/** A body with its templates filled in; one that is a reference and nothing else keeps the kind of its value. */
function filled(value: JsonValue, run: Run, plain: (text: string) => string): unknown {
  if (typeof value === 'string') {
    const [only, ...others] = compileTemplate(value).parts;
    const isReference = typeof only === 'object' && !only.secret && others.length === 0;
    return isReference ? referredTo(only.name, run.situation) : plain(value);
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, run, plain));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, run, plain)]));
}

/** What of an answer's `task` is written: an echo of what was sent must do no harm. */
function writableOf(text: string, { situation: { workflow } }: Run): JsonObject {
  const task: Json = readJson(Buffer.from(text), { depth: 32, keys: 2000 });
  const fileNames = new Set([...workflow.schema.files.values()].map(({ name }) => name));
  const isIgnored = (name: string): boolean =>
    name === 'Task URL' || fileNames.has(name) || workflow.schema.byName.get(name)?.links !== undefined;
  return new Map(task instanceof Map ? [...(task as JsonObject)].filter(([name]) => !isIgnored(name)) : []);
}
