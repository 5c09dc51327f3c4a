// What expressions may call; docs/reference/expressions.md describes each, and a test evaluates its examples. Not in the
// language: double() and uint(), which are inexact or overflow; bytes; durations and timestamps, because dates are texts.

/** Functions, called as `size(x)`. */
export const functions: ReadonlySet<string> = new Set([
  ...['today', 'now', 'overdue', 'days_between', 'add_days', 'round', 'abs', 'min', 'max', 'sum'],
  ...['matches', 'size', 'has', 'decimal', 'int', 'string', 'bool', 'dyn'],
]);

/** Methods, called as `x.size()`. */
export const methods: ReadonlySet<string> = new Set([
  ...['contains', 'startsWith', 'endsWith', 'indexOf', 'substring', 'trim'],
  ...['lowerAscii', 'upperAscii', 'split', 'join', 'size'],
]);

/** Methods that evaluate their last arguments for each member of a list. */
export const macros: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);
