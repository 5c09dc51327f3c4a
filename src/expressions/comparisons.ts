import { type ASTNode } from '@marcbachmann/cel-js';
import { type ValueKind } from '../lib/value-kind.js';
import { type OtherTask } from './scope.js';

/** A field beside what is written out in the expression. */
export interface LiteralComparison extends ReadField {
  /** Of what it is compared with; absent where it is looked for in a list, or the other way round. */
  readonly kind: ValueKind | undefined;
  /** The texts that it may be equal to. */
  readonly texts: readonly string[];
  /** What it is compared with, where that is a day or a moment, or another field. */
  readonly other: Time | ReadField | undefined;
}

/** A day or a moment, as it is written in the expression. */
export interface Time {
  readonly is: 'date' | 'datetime';
  readonly written: string;
}

export interface ReadField {
  /** Whose field it is: the task's, that of the one called `linked` or `before`, or that of those linked under a name. */
  readonly of: 'task' | OtherTask | { readonly relationship: string };
  readonly field: string;
}

/** What an operator compares with, where that is written out. */
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

/** Whether an operator compares its two sides. */
export const isComparing = (op: string): boolean => ['==', '!=', '<', '<=', '>', '>=', 'in'].includes(op);

const dates: ReadonlySet<string> = new Set(['today', 'now', 'add_days']);

function textsIn({ op, args }: ASTNode): string[] {
  if (op === 'list') return args.flatMap(textsIn);
  return op === 'value' && typeof args === 'string' ? [args] : [];
}

/** What a value is, where that is written out; null is beside any. */
function kindOf({ op, args }: ASTNode): ValueKind | undefined {
  if (op === 'call') return dates.has(args[0]) ? 'text' : undefined;
  if (op === 'list') return 'list';
  if (op === '-_') return kindOf(args) === 'number' ? 'number' : undefined;
  if (op !== 'value') return undefined;
  if (typeof args === 'bigint' || typeof args === 'number') return 'number';
  if (typeof args === 'boolean') return 'boolean';
  return typeof args === 'string' ? 'text' : undefined;
}
