import { type ASTNode } from '@marcbachmann/cel-js';
import { type ValueKind } from '../lib/value-kind.js';
import { type OtherTask } from './scope.js';

/** A field beside what is written out in the expression. */
export interface Comparison extends ReadField {
  /** Of what it is compared with; absent where it is looked for in a list, or the other way round. */
  readonly kind: ValueKind | undefined;
  /** The texts that it may be equal to. */
  readonly texts: readonly string[];
}

export interface ReadField {
  /** Whose field it is: the task's, that of the one called `linked` or `before`, or that of those linked under a name. */
  readonly of: 'task' | OtherTask | { readonly relationship: string };
  readonly field: string;
}

/** What an operator compares with, where that is written out. */
export function comparedWith(other: ASTNode, op: string): Omit<Comparison, keyof ReadField> | undefined {
  const kind = op === 'in' ? undefined : kindOf(other);
  const texts = op === '==' || op === '!=' || op === 'in' ? textsIn(other) : [];
  return kind || texts.length > 0 ? { kind, texts } : undefined;
}

/** Whether an operator compares its two sides. */
export const isComparing = (op: string): boolean => ['==', '!=', '<', '<=', '>', '>=', 'in'].includes(op);

function textsIn({ op, args }: ASTNode): string[] {
  if (op === 'list') return args.flatMap(textsIn);
  return op === 'value' && typeof args === 'string' ? [args] : [];
}

/** What a value is, where that is written out; null is beside any. */
function kindOf({ op, args }: ASTNode): ValueKind | undefined {
  if (op === 'call') return args[0] === 'today' || args[0] === 'now' ? 'text' : undefined;
  if (op === 'list') return 'list';
  if (op === '-_') return kindOf(args) === 'number' ? 'number' : undefined;
  if (op !== 'value') return undefined;
  if (typeof args === 'bigint' || typeof args === 'number') return 'number';
  if (typeof args === 'boolean') return 'boolean';
  return typeof args === 'string' ? 'text' : undefined;
}
