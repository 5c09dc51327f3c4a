/** The prefix of functions that replace the library's own. */
export const own = '__';

/** Our own functions: the library lacks them, or its version costs more than the operands' sizes suggest. */
export const ownFunctions: ReadonlySet<string> = new Set(['min', 'max', 'sum']);
export const ownMethods: ReadonlySet<string> = new Set(['contains', 'indexOf', 'lastIndexOf', 'split']);
