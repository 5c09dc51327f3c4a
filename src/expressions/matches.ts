import { type Environment } from '@marcbachmann/cel-js';
import { compilePattern, Pattern, PatternError } from '../lib/pattern.js';
import { pay } from './allowance.js';
import { ExpressionError } from './expression-error.js';
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

/** Registers matches(). */
export function registerMatches(environment: Environment): void {
  environment
    .registerType('pattern', { ctor: Pattern, fields: {} })
    .registerVariable('__patterns', 'list<pattern>')
    .registerFunction(
      `string.${own}matches(pattern): bool`,
      (text: string, pattern: Pattern) => {
        pay(100 + ((text.length + 1) * pattern.instructions) / 2);
        return pattern.isIn(text);
      },
      { async: false },
    );
}
