import { type ASTNode, EvaluationError, ParseError, TypeError } from '@marcbachmann/cel-js';
import { Decimal } from 'decimal.js';
import { Allowance, MAX_UNITS_PER_EVALUATION, UNITS_PER_LINKED_TASK } from './allowance.js';
import { environment, userLimits } from './environment.js';
import { ExpressionError } from './expression-error.js';
import { type LiteralComparison, type ReadField } from './comparisons.js';
import { type GuardedExpression, guard } from './guard.js';
import { explain, namingSigns } from './hints.js';
import { own } from './own-functions.js';
import { type Result, resultsOf } from './results.js';
import { noLinks, type ExpressionScope } from './scope.js';

/** A value that an expression may read: numbers as `decimal(text)`, dates as texts, blank as null. */
export type ExpressionValue = null | boolean | string | Decimal | readonly ExpressionValue[];

/** The fields of a task; a name that it lacks is blank. */
export type TaskValues = ReadonlyMap<string, ExpressionValue>;

/** What stands under the name of a relationship. */
export type LinkedValues = null | TaskValues | readonly TaskValues[];

/** What an event tells beside its task, by the names that expressions have for it. */
export type ExpressionFacts = ReadonlyMap<string, FactValue>;
export type FactValue = ExpressionValue | ReadonlyMap<string, FactValue> | readonly FactValue[];

/** What an expression may see. */
export interface ExpressionInput {
  /** The task, with those linked to it under the names of their relationships: a list, or one or null. */
  readonly task: ReadonlyMap<string, ExpressionValue | LinkedValues>;
  /** The other task that it is about, where the expression's scope has one. */
  readonly other?: TaskValues | undefined;
  /** What an event tells beside its task, where the expression's scope has such facts. */
  readonly facts?: ExpressionFacts | undefined;
  /** The performer's e-mail. */
  readonly performer: string | null;
  /** In the workspace's time zone, see `todayIn`. */
  readonly today: string;
  /** In the canonical spelling of a datetime. */
  readonly now: string;
  /** The clocks of the task that are overdue, where the expression asks for them. */
  readonly overdue?: readonly string[] | undefined;
}

/** A compiled expression. */
export interface Expression {
  /** The names of `task` that it reads. */
  readonly fields: ReadonlySet<string>;
  /** The fields of linked tasks that it reads, by the names of their relationships. */
  readonly linked: ReadonlyMap<string, ReadonlySet<string>>;
  /** The fields of the other task, called `linked` or `before`, that it reads. */
  readonly ofOther: ReadonlySet<string>;
  /** Where it compares a field with what is written out. */
  readonly comparisons: readonly LiteralComparison[];
  /** The fields that it takes for true or false. */
  readonly conditions: readonly ReadField[];
  /** The field that it is, or those that it may be by `? :`. */
  readonly yields: readonly ReadField[];
  /** What it reads of fields that can hold no such thing, in words: it compiles, and fails. */
  readonly misreads: readonly string[];
  /** The clocks that it asks about by `overdue`; null is any. */
  readonly clocks: ReadonlySet<string | null>;
  /** What it may yield, as far as that is known. */
  readonly results: readonly Result[];
  /** The CEL type of its result, if that does not depend on values: `bool`, `string`, `decimal`, `int`, `list<…>`… */
  readonly type: string | undefined;
  /** Pure; throws nothing but `ExpressionError`, a `TooCostly` where it would cost more than is left of the allowance. */
  evaluate(input: ExpressionInput, allowance?: Allowance): ExpressionResult;
}

const MAX_SOURCE_LENGTH = 10_000;
const parser = environment.clone({ limits: userLimits });

/** Compiles a CEL expression; an `ExpressionError` says why it cannot be. */
export function compileExpression(source: string, scope = noLinks): Expression {
  if (source.length > MAX_SOURCE_LENGTH) throw new ExpressionError('longer than 10,000 characters');
  if (/\p{Surrogate}/u.test(source)) throw new ExpressionError('holds an unpaired surrogate');
  const tree = parse(source);
  const guarded = attempt(() => guard(tree, scope), source);
  const { fields, linked, ofOther, comparisons, conditions, yields, misreads, clocks } = guarded;
  const run = attempt(() => environment.parse(guarded.source), source);
  const type = typeOf(run.check(), source);
  return {
    fields,
    linked,
    ofOther,
    comparisons,
    conditions,
    yields,
    misreads,
    clocks,
    results: resultsOf(tree, type),
    type,
    evaluate: (input, allowance = new Allowance()) =>
      withShortStacks(() =>
        allowance.spend(
          () => attempt(() => readResult(run(context(input, guarded, scope)))),
          MAX_UNITS_PER_EVALUATION + UNITS_PER_LINKED_TASK * countLinked(input, linked.keys()),
        ),
      ),
  };
}

/** Of a blank that is compared an error tells, and to note where it was made would take longer than all else of an evaluation. */
function withShortStacks<T>(work: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function countLinked({ task }: ExpressionInput, names: Iterable<string>): number {
  return Array.from(names, (name) => [task.get(name) ?? []].flat().length).reduce(
    (sum, count) => sum + count,
    0,
  );
}

function context(
  { task, performer, today, now, other, facts, overdue = [] }: ExpressionInput,
  { fields, linked: relationships, patterns }: GuardedExpression,
  { other: name = 'linked' }: ExpressionScope,
): Record<string, unknown> {
  const names = [...fields, ...relationships.keys()];
  const values = new Map(names.map((name) => [name, task.get(name) ?? null]));
  return {
    task: values,
    performer,
    [name]: other,
    __facts: facts,
    __today: today,
    __now: now,
    __overdue: overdue,
    __patterns: patterns,
  };
}

/** Says of a source that is no expression where it stops being one. */
function parse(source: string): ASTNode {
  try {
    return parser.parse(source).ast;
  } catch (error) {
    const start = rangeOf(error)?.start;
    // An expression that is too long or too deep is not wrong at one place.
    if (start === undefined || reason(error).startsWith('Exceeded'))
      throw new ExpressionError(explain(reason(error), source));
    const before = source.slice(0, start).split('\n');
    const message = `${namingSigns(reason(error), source.slice(start, rangeOf(error)?.end))} ${placeAfter(before)}`;
    throw new ExpressionError(explain(message, source), before.length - 1);
  }
}

function rangeOf(error: unknown): { readonly start: number; readonly end: number } | undefined {
  return error instanceof Error && 'range' in error ? (error.range as ReturnType<typeof rangeOf>) : undefined;
}

function placeAfter(before: readonly string[]): string {
  const last = before.at(-1) ?? '';
  const line = before.length > 1 ? `line ${before.length}, ` : '';
  const words = last.trim().slice(-30).toWellFormed();
  return `at ${line}character ${last.length + 1}${words === '' ? '' : `, after ${words}`}`;
}

const resultTypes = /^(?:bool|string|decimal|int|null|list.*)$/;

function typeOf({ type, error }: { type?: string; error?: Error }, source: string): string | undefined {
  if (type === undefined) throw new ExpressionError(explain(reason(error), source));
  if (type === 'dyn') return undefined;
  if (!resultTypes.test(type)) throw new ExpressionError(`its result is a ${type}, which nothing can hold`);
  return type;
}

/**
 * Does work of the library, whose errors become an `ExpressionError`; of a `source` that does not compile, it says what was
 * probably meant. Any other error is a fault of ours and goes on.
 */
function attempt<T>(work: () => T, source?: string): T {
  try {
    return work();
  } catch (error) {
    if (!libraryErrors.some((type) => error instanceof type)) throw error;
    throw new ExpressionError(source === undefined ? reason(error) : explain(reason(error), source));
  }
}

const libraryErrors = [ParseError, EvaluationError, TypeError];

// The library's messages go on with a drawing of the source; its `summary` is the line above.
function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be evaluated';
  const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
  // A message may quote a value, of any length.
  const shown = summary.length > 500 ? `${summary.slice(0, 500).toWellFormed()}…` : summary;
  return shown.replace(/dyn<([^<>]+)>/g, '$1').replaceAll(own, '');
}

/** What an expression yields; numbers as their exact decimal text. */
type ExpressionResult = null | boolean | string | readonly ExpressionResult[];

/** Turns what the library yields into a result. */
function readResult(value: unknown): ExpressionResult {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Decimal) return value.toFixed();
  if (Array.isArray(value)) return value.map(readResult);
  throw new ExpressionError('its result is neither a text, a number, a boolean nor a list');
}
