// Everything that an expression may call. Left out on purpose: matches() (a regular expression can run for hours),
// double() and uint() (inexact or wrapping numbers), bytes, durations and timestamps (dates are texts here).

/** Functions, called as `size(x)`. */
export const functions: ReadonlySet<string> = new Set([
  'add_days',
  'bool',
  'decimal',
  'dyn',
  'int',
  'round',
  'size',
  'string',
]);

/** Methods, called as `x.size()`. */
export const methods: ReadonlySet<string> = new Set([
  'contains',
  'endsWith',
  'indexOf',
  'join',
  'lastIndexOf',
  'lowerAscii',
  'size',
  'split',
  'startsWith',
  'substring',
  'trim',
  'upperAscii',
]);

/** Methods that run their last arguments for each element. */
export const macros: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);
