import { type ASTNode, EvaluationError, ParseError, TypeError } from '@marcbachmann/cel-js';
import { Decimal } from 'decimal.js';
import { environment, userLimits } from './environment.js';
import { ExpressionError } from './expression-error.js';
import { type Findings, guard } from './guard.js';
import { own } from './own-functions.js';
import { noLinks, type ExpressionScope } from './scope.js';
import { TimeAllowed } from './time-allowed.js';
import { isJsonList, type Json, type JsonObject, NumberLiteral } from '../../../packages/exact-json/json.js';
import { decimal } from './decimal.js';

/** A value in expressions. A number is made by `decimal`, a date is a text, and blank is null. */
export type ExpressionValue = null | boolean | string | Decimal | readonly ExpressionValue[];

/** The values of a task by the names of fields. A missing name is blank. */
export type TaskValues = ReadonlyMap<string, ExpressionValue>;

/** What expressions find under the name of a relationship: a list of tasks, or else one task or null. */
export type LinkedValues = null | TaskValues | readonly TaskValues[];

export type ExpressionFacts = ReadonlyMap<string, FactValue>;
export type FactValue = ExpressionValue | ReadonlyMap<string, FactValue> | readonly FactValue[];

export interface ExpressionInput {
  /** The values of the task by name. Its linked tasks are under the names of relationships. */
  readonly task: ReadonlyMap<string, ExpressionValue | LinkedValues>;
  readonly other?: TaskValues | undefined;
  readonly facts?: ExpressionFacts | undefined;
  /** The e-mail of the user who performs the action; null if there is no such user, as with a schedule. */
  readonly performer: string | null;
  /** The date in the workspace's time zone, see `todayIn`. */
  readonly today: string;
  /** The instant of the evaluation, in canonical form. */
  readonly now: string;
  /** The ids of the task's overdue deadlines, if the expression reads deadlines. */
  readonly overdue?: readonly string[] | undefined;
}

export interface Expression extends Findings {
  /** The CEL type of the result, such as `bool` or `list<…>`; undefined if the type depends on values. */
  readonly type: string | undefined;
  /** Evaluates the expression without side effects. If the evaluation fails, throws an `ExpressionError`. */
  evaluate(input: ExpressionInput, time?: TimeAllowed): ExpressionResult;
}

/** Whether an evaluation must query linked tasks or deadlines. */
export const readsMoreThanTask = ({ linked, deadlines }: Expression): boolean =>
  linked.size > 0 || deadlines.size > 0;

const MAX_SOURCE_LENGTH = 2_000;
const parser = environment.clone({ limits: userLimits });

/** Compiles a CEL expression; throws `ExpressionError` with the reason if the source is invalid. */
export function compileExpression(source: string, scope = noLinks): Expression {
  if (source.length > MAX_SOURCE_LENGTH) throw new ExpressionError('longer than 2,000 characters');
  if (/\p{Surrogate}/u.test(source)) throw new ExpressionError('holds an unpaired surrogate');
  const { findings, rewritten } = guard(parse(source), scope);
  const run = attempt(() => environment.parse(rewritten));
  const type = typeOf(run.check());
  return {
    ...findings,
    type,
    evaluate: (input, time = new TimeAllowed()) =>
      withShortStacks(() =>
        time.spend(() => attempt(() => readResult(run(context(input, findings, scope))))),
      ),
  };
}

/** Runs work with short stack traces, because comparing a blank value throws, and a full trace is slow. */
function withShortStacks<T>(work: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function context(
  { task, performer, today, now, other, facts, overdue = [] }: ExpressionInput,
  { fields, linked }: Findings,
  { other: name = 'linked' }: ExpressionScope,
): Record<string, unknown> {
  const names = [...fields, ...linked.keys()];
  const values = new Map(names.map((name) => [name, task.get(name) ?? null]));
  return {
    task: values,
    performer,
    [name]: other,
    ...(facts && Object.fromEntries(facts)),
    __today: today,
    __now: now,
    __overdue: overdue,
  };
}

/** Parses a source. The error for an invalid source says where the fault is. */
function parse(source: string): ASTNode {
  try {
    return parser.parse(source).ast;
  } catch (error) {
    const start = error instanceof ParseError ? error.range?.start : undefined;
    // An expression that is too long or too deep has no single faulty place.
    if (start === undefined || reason(error).startsWith('Exceeded')) throw new ExpressionError(reason(error));
    const before = source.slice(0, start).split('\n');
    throw new ExpressionError(`${reason(error)} ${placeAfter(before)}`);
  }
}

function placeAfter(before: readonly string[]): string {
  const last = before.at(-1) ?? '';
  const line = before.length > 1 ? `line ${before.length}, ` : '';
  const words = last.trim().slice(-30).toWellFormed();
  return `at ${line}character ${last.length + 1}${words === '' ? '' : `, after ${words}`}`;
}

const resultTypes = /^(?:bool|string|decimal|int|null|list.*)$/;

function typeOf({ type, error }: { type?: string; error?: Error }): string | undefined {
  if (type === undefined) throw new ExpressionError(reason(error));
  if (type === 'dyn') return undefined;
  if (!resultTypes.test(type)) throw new ExpressionError(`its result is a ${type}, which no field can hold`);
  return type;
}

/** Turns errors of the library into `ExpressionError`. Rethrows all other errors unchanged. */
function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!libraryErrors.some((type) => error instanceof type)) throw error;
    throw new ExpressionError(reason(error));
  }
}

const libraryErrors = [ParseError, EvaluationError, TypeError];

// The library's `message` also prints an excerpt of the source, so the one-line `summary` is used instead.
function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be evaluated';
  const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
  // The message may quote a value of any length.
  const shown = summary.length > 500 ? `${summary.slice(0, 500).toWellFormed()}…` : summary;
  return shown.replace(/dyn<([^<>]+)>/g, '$1').replaceAll(own, '');
}

/** The result of an expression; numbers are exact decimal texts. */
type ExpressionResult = null | boolean | string | readonly ExpressionResult[];

function readResult(value: unknown): ExpressionResult {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Decimal) return value.toFixed();
  if (Array.isArray(value)) return value.map(readResult);
  throw new ExpressionError('its result is neither a text, a number, a boolean nor a list');
}

/**
 * Converts JSON to values of expressions, with exact numbers. A number that `decimal` refuses becomes its
 * text.
 */
export function factOfJson(json: Json): FactValue {
  if (json instanceof NumberLiteral) return factOfNumber(json.text);
  if (isJsonList(json)) return json.map(factOfJson);
  if (!(json instanceof Map)) return json as null | boolean | string;
  return new Map([...(json as JsonObject)].map(([key, item]) => [key, factOfJson(item)]));
}

function factOfNumber(text: string): FactValue {
  try {
    return decimal(text);
  } catch (error) {
    if (error instanceof ExpressionError) return text;
    throw error;
  }
}
