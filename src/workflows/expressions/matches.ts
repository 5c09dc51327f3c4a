import { type Environment } from '@marcbachmann/cel-js';
import { compilePattern, Pattern, PatternError } from '../../common/pattern.js';
import { checkTime } from './time-allowed.js';
import { ExpressionError, TakesTooLong } from './expression-error.js';
import { own } from './own-functions.js';

/** The limit for all patterns of one expression together. */
export const MAX_INSTRUCTIONS = 500;

/** The pattern of a call of matches(); throws `ExpressionError` with the reason if it is invalid. */
export function patternOf(source: string): Pattern {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternError) throw new ExpressionError(`a pattern ${error.message}`);
    throw error;
  }
}

// Instructions times characters: 10 ms or so.
const MAX_STEPS = 1_000_000;

/** Registers matches(). */
export function registerMatches(environment: Environment): void {
  environment
    .registerType('pattern', { ctor: Pattern, fields: {} })
    .registerVariable('__patterns', 'list<pattern>')
    .registerFunction(
      `string.${own}matches(pattern): bool`,
      (text: string, pattern: Pattern) => {
        checkTime();
        if (text.length * pattern.instructions > MAX_STEPS) throw new TakesTooLong();
        return pattern.isIn(text);
      },
      { async: false },
    );
}
