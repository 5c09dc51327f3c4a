import { type ASTNode } from '@marcbachmann/cel-js';
import { isTask, keyOfScope } from './scope.js';

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

/** The possible results; for `a ? b : c` those of b and c. Empty if they depend on the task. `type` is the CEL type. */
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

/** The literals that are added to others. */
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
