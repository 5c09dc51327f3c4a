import { type ASTNode } from '@marcbachmann/cel-js';
import { isTask, keyOfScope, type OtherTask } from './scope.js';
import { type ValueKind } from '../../common/column-values.js';

/** A possible result of an expression, as far as it is known without a task. */
export type Result =
  /** A literal; numbers as text. */
  | { readonly is: 'constant'; readonly value: string | boolean | null }
  /** The value of a field, or of another key of the task. */
  | { readonly is: 'field'; readonly name: string }
  /** A text that contains these literals. */
  | { readonly is: 'text'; readonly holding: readonly string[] }
  /** A date or an instant, as text. */
  | { readonly is: 'today' | 'now' }
  | { readonly is: 'number' | 'boolean' | 'list' };

/** The possible results; `a ? b : c` has those of b and c. Empty if they depend on the task. `type` is the CEL type. */
export function resultsOf(node: ASTNode, type: string | undefined): Result[] {
  const { op, args } = node;
  if (op === '?:') return [...resultsOf(args[1], type), ...resultsOf(args[2], type)];
  if (op === 'value') return constant(args);
  if (op === '-_' && args.op === 'value') return constant(args.args, '-');
  if (op === 'call' && (args[0] === 'today' || args[0] === 'now')) return [{ is: args[0] }];
  const name = (op === '.' || op === '[]') && isTask(node.args[0]) ? keyOfScope(node) : undefined;
  if (name !== undefined) return [{ is: 'field', name }];
  if (['-', '*', '/', '%', '-_'].includes(op)) return [{ is: 'number' }];
  const joined = op === '+' ? literalsWithin(node) : [];
  const holding = joined.filter((value) => typeof value === 'string');
  if (holding.length > 0) return [{ is: 'text', holding }];
  return joined.length > 0 ? [{ is: 'number' }] : ofType(type);
}

function constant(value: unknown, sign = ''): Result[] {
  if (typeof value === 'bigint' || typeof value === 'number')
    return [{ is: 'constant', value: `${sign}${String(value)}` }];
  const isKept = typeof value === 'string' || typeof value === 'boolean' || value === null;
  return isKept ? [{ is: 'constant', value }] : [];
}

function literalsWithin({ op, args }: ASTNode): unknown[] {
  if (op === '+') return args.flatMap(literalsWithin);
  return op === 'value' && ['string', 'bigint', 'number'].includes(typeof args) ? [args] : [];
}

function ofType(type = ''): Result[] {
  if (type === 'string') return [{ is: 'text', holding: [] }];
  if (type === 'bool') return [{ is: 'boolean' }];
  if (type === 'int' || type === 'decimal') return [{ is: 'number' }];
  return type.startsWith('list') ? [{ is: 'list' }] : [];
}

export interface LiteralComparison extends ReadField {
  /** The type of the literal; absent for lists, and if the literal is on the left. */
  readonly kind: ValueKind | undefined;
  readonly texts: readonly string[];
  /** The other side, if it is a date, an instant or another field. */
  readonly other: Time | ReadField | undefined;
}

export interface Time {
  readonly is: 'date' | 'datetime';
  readonly written: string;
}

export interface ReadField {
  /** The owner of the field: the task, the task called `linked` or `before`, or tasks linked under a name. */
  readonly of: 'task' | OtherTask | { readonly relationship: string };
  readonly field: string;
}

/** The value that an operator compares with, if it is a literal. */
export function comparedWith(
  node: ASTNode,
  op: string,
  field: ReadField | undefined,
): Omit<LiteralComparison, keyof ReadField> | undefined {
  const kind = op === 'in' ? undefined : kindOf(node);
  const texts = op === '==' || op === '!=' || op === 'in' ? textsIn(node) : [];
  const other = field ?? timeOf(node);
  return kind || texts.length > 0 || other ? { kind, texts, other } : undefined;
}

function timeOf({ op, args, input, start, end }: ASTNode): Time | undefined {
  const written = input.slice(start, end);
  if (op === 'call' && args[0] === 'now') return { is: 'datetime', written };
  if (op === 'call' && (args[0] === 'today' || args[0] === 'add_days')) return { is: 'date', written };
  const text = op === 'value' && typeof args === 'string' ? /^\d{4}-\d\d-\d\d(T.+)?$/.exec(args) : null;
  return text ? { is: text[1] === undefined ? 'date' : 'datetime', written } : undefined;
}

export const isComparing = (op: string): boolean => ['==', '!=', '<', '<=', '>', '>=', 'in'].includes(op);

const dates: ReadonlySet<string> = new Set(['today', 'now', 'add_days']);

function textsIn({ op, args }: ASTNode): string[] {
  if (op === 'list') return args.flatMap(textsIn);
  return op === 'value' && typeof args === 'string' ? [args] : [];
}

/** The type of a literal; null fits any type. */
function kindOf({ op, args }: ASTNode): ValueKind | undefined {
  if (op === 'call') return dates.has(args[0]) ? 'text' : undefined;
  if (op === 'list') return 'list';
  if (op === '-_') return kindOf(args) === 'number' ? 'number' : undefined;
  if (op !== 'value') return undefined;
  if (typeof args === 'bigint' || typeof args === 'number') return 'number';
  if (typeof args === 'boolean') return 'boolean';
  return typeof args === 'string' ? 'text' : undefined;
}
