import { Decimal } from 'decimal.js';
import { Allowance } from './allowance.js';
import { environment, userLimits } from './environment.js';
import { ExpressionError } from './expression-error.js';
import { guard } from './guard.js';
import { own } from './own-functions.js';
import { type Pattern } from './pattern.js';

/** A value that an expression may read: numbers as `decimal(text)`, dates as texts, blank as null. */
export type ExpressionValue = null | boolean | string | Decimal | readonly ExpressionValue[];

/** What an expression may see; a name that `task` lacks is blank. */
export interface ExpressionInput {
  readonly task: ReadonlyMap<string, ExpressionValue>;
  /** The performer's e-mail. */
  readonly performer: string | null;
  /** In the workspace's time zone, see `todayIn`. */
  readonly today: string;
  /** In the canonical spelling of a datetime. */
  readonly now: string;
}

/** A compiled expression. */
export interface Expression {
  /** The names of `task` that it reads. */
  readonly fields: ReadonlySet<string>;
  /** The CEL type of its result, if that does not depend on values: `bool`, `string`, `decimal`, `int`, `list<…>`… */
  readonly type: string | undefined;
  /** Pure; throws nothing but `ExpressionError`, a `TooCostly` where it would cost more than is left of the allowance. */
  evaluate(input: ExpressionInput, allowance?: Allowance): ExpressionResult;
}

const longestSource = 10_000;
const parser = environment.clone({ limits: userLimits });

/** Compiles a CEL expression; an `ExpressionError` says why it cannot be. */
export function compileExpression(source: string): Expression {
  if (source.length > longestSource) throw new ExpressionError('longer than 10,000 characters');
  if (/\p{Surrogate}/u.test(source)) throw new ExpressionError('holds an unpaired surrogate');
  const { source: guarded, fields, patterns } = attempt(() => guard(parser.parse(source).ast));
  const run = attempt(() => environment.parse(guarded));
  return {
    fields,
    type: typeOf(run.check()),
    evaluate: (input, allowance = new Allowance()) =>
      allowance.spend(() => attempt(() => readResult(run(context(input, fields, patterns))))),
  };
}

function context(
  { task, performer, today, now }: ExpressionInput,
  fields: ReadonlySet<string>,
  patterns: readonly Pattern[],
): Record<string, unknown> {
  const values = new Map(Array.from(fields, (name) => [name, task.get(name) ?? null]));
  return { task: values, performer, __today: today, __now: now, __patterns: patterns };
}

const resultTypes = /^(?:bool|string|decimal|int|null|list.*)$/;

function typeOf({ type, error }: { type?: string; error?: Error }): string | undefined {
  if (type === undefined) throw new ExpressionError(reason(error));
  if (type === 'dyn') return undefined;
  if (!resultTypes.test(type)) throw new ExpressionError(`its result is a ${type}, which nothing can hold`);
  return type;
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ExpressionError ? error : new ExpressionError(reason(error));
  }
}

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
