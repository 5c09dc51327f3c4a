import { type ASTNode } from '@marcbachmann/cel-js';
import { type ValueKind } from '../../common/value-kind.js';
import { type OtherTask } from './scope.js';

export interface LiteralComparison extends ReadField {
  /** The type of the literal; absent for lists, and where the sides are swapped. */
  readonly kind: ValueKind | undefined;
  /** The texts that the field may equal. */
  readonly texts: readonly string[];
  /** The other side, if it is a date, an instant or another field. */
  readonly other: Time | ReadField | undefined;
}

/** A date or an instant in the expression. */
export interface Time {
  readonly is: 'date' | 'datetime';
  readonly written: string;
}

export interface ReadField {
  /** The owner of the field: the task, the task called `linked` or `before`, or tasks linked under a name. */
  readonly of: 'task' | OtherTask | { readonly relationship: string };
  readonly field: string;
}

/** What an operator compares with, if that is a literal. */
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

/** Whether an operator is a comparison. */
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
