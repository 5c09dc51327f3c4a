/** What stands before the names of functions that take the place of the library's own. */
export const own = '__';

/** The functions that are ours: the library lacks them, or its own cost more than the sizes of their operands tell. */
export const ownFunctions: ReadonlySet<string> = new Set(['size', 'min', 'max', 'sum']);
export const ownMethods: ReadonlySet<string> = new Set([
  'contains',
  'indexOf',
  'lastIndexOf',
  'size',
  'split',
]);
