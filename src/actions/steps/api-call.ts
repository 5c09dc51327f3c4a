import { Decimal } from 'decimal.js';
import Type from 'typebox';
import {
  asText,
  isMapping,
  type JsonMapping,
  type JsonValue,
  placeOfValue,
  readAs,
} from '../../workflows/model/definition-reader.js';
import { factOfJson } from '../../workflows/expressions/expression.js';
import { ExpressionError } from '../../workflows/expressions/expression-error.js';
import { ANSWER_LIMITS, httpCall } from '../effects/http-call.js';
import { checkUrl, urlOfCall } from './call-url.js';
import { changeTask, type Run, StepFailed, stepType } from '../step.js';
import { compileTemplate } from '../../workflows/expressions/template.js';
import { type Json, type JsonObject } from '../../../packages/exact-json/json.js';
import { readJson } from '../../../packages/exact-json/read-json.js';
import { type Pause, pauses } from '../../../packages/fair/turn.js';
import { type Output } from '../../workflows/fields/field-type.js';
import { referredTo, shown, valuesOf } from '../step-values.js';
import { builtInNames, changeableBuiltIns } from '../../workflows/fields/properties/built-ins.js';
import { checkTemplate } from '../../workflows/model/check/formulas.js';
import { checkHeaders, type HeaderRules, isSendable } from '../check/headers.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { checkOwnSet } from '../check/set.js';
import { requestHeaders, optionalSetOf, type SetDefinition } from '../../workflows/model/schema-parts.js';
import { hinted, say } from '../../common/message.js';

export const apiCall = stepType(
  Type.Object(
    {
      url: Type.String({
        title: 'URL',
        description:
          'http or https. Scheme and host may hold secrets but no other templates. Values after the host are percent-encoded.',
        minLength: 1,
        maxLength: 2048,
        examples: ['https://billing.acme.test/closed'],
      }),
      method: Type.Optional(
        Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], {
          title: 'Method',
          description: 'The HTTP method.',
          default: 'POST',
        }),
      ),
      headers: requestHeaders('May hold templates.'),
      body: readAs(
        Type.Optional(
          Type.Unsafe<string | JsonMapping>({
            title: 'Body',
            description:
              'A mapping or a text. Default: `action`, `action_id`, `user` and `task`. If a text in a mapping is only one {{NAME}}, the value keeps its JSON type.',
            type: ['object', 'string'],
          }),
        ),
        (value) => (isMapping(value) ? value : asText(value)),
      ),
      set: optionalSetOf({
        title: 'Set',
        description:
          'Values of the task by field name, as in update_fields. Expressions can read body["key"] of the JSON answer. With `set`, a `task` in the answer is ignored.',
      }),
      timeout_seconds: Type.Optional(
        Type.Number({
          title: 'Time-out in seconds',
          description: 'How long one try may take.',
          exclusiveMinimum: 0,
          maximum: 120,
          default: 10,
        }),
      ),
      tries: Type.Optional(
        Type.Integer({
          title: 'Tries',
          description: 'The maximum number of tries. A new try follows 408, 429, 5xx or no answer.',
          minimum: 1,
          maximum: 10,
          default: 3,
        }),
      ),
    },
    {
      title: 'Call another service',
      description:
        'Texts may hold {{Field Name}}, {{Stage}}, {{Assigned To}}, {{Task URL}} and {{secret.NAME}}.',
      examples: [
        {
          url: 'https://billing.acme.test/closed',
          headers: { Authorization: 'Bearer {{secret.BILLING}}' },
        },
      ],
    },
  ),
  {
    check(step, scope, report) {
      checkUrl(step.url, scope, report.at(step, 'url'));
      if (step.headers) {
        const template: HeaderRules['template'] = (value, tell) => checkTemplate(value, scope, tell, true);
        checkHeaders(step.headers, { taken: ['idempotency-key'], template }, report);
      }
      if (step.body !== undefined) checkBody(step, 'body', step.body, scope, report);
      if (step.set) checkOwnSet(step.set, scope, report, ['body']);
    },
    effect: httpCall,
    async run(step, run) {
      const { url, method = 'POST', headers = {}, body, set, timeout_seconds = 10, tries = 3 } = step;
      const valueOf = boundedValues(run);
      const plain = (text: string): string =>
        compileTemplate(text).render(({ name, secret }) =>
          secret ? run.secret(name) : shown(valueOf(name)),
        );
      const { task } = await run.effect(async () => ({
        url: urlOfCall(url, run.secret, valueOf),
        method,
        headers: headersOf(headers, plain, body),
        body: method === 'GET' ? '' : await bodyOf(body, run, { plain, valueOf }),
        timeoutMs: Math.ceil(timeout_seconds * 1000),
        tries,
        reads: set ? 'all' : 'task',
      }));
      if (set) await changeTask(run, valuesByAnswer(set, run, task));
      else if (task !== null) await changeTask(run, writableOf(task, run));
    },
  },
);

/** The values of `set`, whose expressions read the answer; null if it is not JSON. An error then says so. */
function valuesByAnswer(set: SetDefinition, run: Run, text: string | null): JsonObject {
  if (text !== null)
    return valuesOf(set, run, { body: factOfJson(readJson(Buffer.from(text), ANSWER_LIMITS)) });
  try {
    return valuesOf(set, run, { body: null });
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new ExpressionError(hinted(error.said, ' (its answer is not JSON)'));
  }
}

interface Insert {
  readonly plain: (text: string) => string;
  readonly valueOf: (name: string) => Output;
}

/** Limits the total size of values, because a body may repeat a long value many times. */
function boundedValues({ context }: Run): Insert['valueOf'] {
  let sent = 0;
  return (name) => {
    const value = referredTo(name, context);
    sent += typeof value === 'string' ? value.length : 0;
    if (sent > MAX_SENT) throw new StepFailed('the fields that the call names exceed 16 MB in total');
    return value;
  };
}

const MAX_SENT = 16 * 2 ** 20;

function headersOf(
  headers: { readonly [name: string]: string },
  plain: (text: string) => string,
  body: unknown,
): Record<string, string> {
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  const rendered = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), plain(text)] as const);
  for (const [name, value] of rendered)
    if (!isSendable(value)) throw new StepFailed(say`the header ${name} cannot be sent`);
  return { 'content-type': type, ...Object.fromEntries(rendered) };
}

async function bodyOf(body: string | JsonMapping | undefined, run: Run, insert: Insert): Promise<string> {
  if (typeof body === 'string') return insert.plain(body);
  if (body !== undefined) return JSON.stringify(filled(body, insert));
  const { scope, task, performer } = run.context;
  const user = performer && {
    id: performer.id,
    email: performer.email,
    first_name: performer.firstName ?? null,
    last_name: performer.lastName ?? null,
  };
  // The JSON is built as text, so that numbers and the order of keys stay exact.
  const { name: action, id: action_id } = run.action;
  const others = JSON.stringify({ action, action_id, user: user ?? null });
  const text = await bounded(run.textOf(task), pauses(scope));
  return `${others.slice(0, -1)},"task":${text}}`;
}

/** Joins the pieces; throws above a maximum size, because the linked tasks may be very large. */
async function bounded(text: string | AsyncIterable<string>, pause: Pause): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of typeof text === 'string' ? [text] : text) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_SENT)
      throw new StepFailed(
        'the task that the call sends is larger than 16 MB. A body in the step can name parts of it',
      );
    await pause();
  }
  return pieces.join('');
}

/** Fills in the templates of a body. If a text is only one reference, the value keeps its type. */
function filled(body: JsonMapping, insert: Insert): unknown {
  return JSON.parse(JSON.stringify(body), (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    const [only, ...others] = compileTemplate(value).parts;
    const isReference = typeof only === 'object' && !only.secret && others.length === 0;
    return isReference ? insert.valueOf(only.name) : insert.plain(value);
  });
}

/** Ignores keys that cannot be set, so that the other system may send the whole task back. */
function writableOf(text: string, { context: { scope } }: Run): JsonObject {
  const task: Json = readJson(Buffer.from(text), ANSWER_LIMITS);
  const fileNames = new Set([...scope.workflow.schema.files.values()].map(({ name }) => name));
  const isIgnored = (name: string): boolean =>
    (builtInNames.has(name) && !changeableBuiltIns.has(name)) ||
    fileNames.has(name) ||
    scope.workflow.schema.byName.get(name)?.links !== undefined;
  return new Map(task instanceof Map ? [...(task as JsonObject)].filter(([name]) => !isIgnored(name)) : []);
}

function checkBody(
  holder: object,
  key: string | number,
  value: JsonValue,
  scope: WorkflowScope,
  report: Report,
): void {
  if (typeof value === 'string') checkTemplate(value, scope, report.at(holder, key), true);
  else if (typeof value === 'number') checkNumber(holder, key, value, report);
  else if (Array.isArray(value))
    value.forEach((item, index) => {
      checkBody(value, index, item, scope, report);
    });
  else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) checkBody(value, name, item, scope, report);
  }
}

// Reports a number with more digits than a JavaScript number keeps (about 15).
function checkNumber(holder: object, key: string | number, value: number, report: Report): void {
  const digits = placeOfValue(holder)?.entries.get(key)?.digits ?? String(value);
  if (!new Decimal(digits).eq(value))
    report(holder, key, 'has more digits than a JSON number can hold: put it in quotes');
}
