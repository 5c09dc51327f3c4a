import { Environment } from '@marcbachmann/cel-js';
import { type Decimal } from 'decimal.js';
import { addDays } from './calendar.js';
import { registerDecimals } from './decimal-operators.js';
import { registerSearches } from './searches.js';
import { charged, walked } from './charge.js';

/** What a user's text is parsed with: narrower than the library's own limits, which guarded text must fit. */
export const userLimits = { maxAstNodes: 1_000, maxDepth: 50, maxListElements: 500, maxMapEntries: 500 };

/** The variables and functions that a guarded expression (see guard.ts) may use. */
export const environment = new Environment({ homogeneousAggregateLiterals: false });

registerDecimals(environment);
registerSearches(environment);
environment
  .registerVariable('task', 'map<string, dyn>')
  .registerVariable('performer', 'dyn')
  .registerVariable('__today', 'string')
  .registerFunction('charged(A): A', charged, { async: false })
  .registerFunction('walked(A, int): A', walked, { async: false })
  .registerFunction('add_days(string, int): string', addWholeDays, { async: false })
  .registerFunction('add_days(string, decimal): string', addWholeDays, { async: false });

function addWholeDays(date: string, days: bigint | Decimal): string {
  return addDays(date, Number(days));
}
