import { type Environment } from '@marcbachmann/cel-js';
import { RE2JS, RE2JSException, RE2Set } from 're2js';
import { pay } from './allowance.js';
import { ExpressionError } from './expression-error.js';
import { own } from './own-functions.js';

const MAX_PATTERN_LENGTH = 500;
/** Of all patterns of one expression together. */
export const MAX_INSTRUCTIONS = 500;
// What a pattern may keep of what it has found out about texts. Beyond it, it takes a way that needs no memory, whose
// time is in proportion to the text times the instructions.
const MAX_BYTES = 65_536;

/** A regular expression in RE2 syntax, whose time is in proportion to the text's length. */
export class Pattern {
  constructor(
    private readonly set: RE2Set,
    readonly instructions: number,
  ) {}

  /** Whether it matches the text or a part of it. */
  isIn(text: string): boolean {
    pay(100 + ((text.length + 1) * this.instructions) / 2);
    return this.set.match(text).length > 0;
  }
}

/** Compiles a pattern; an `ExpressionError` says why it cannot be. */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_PATTERN_LENGTH)
    throw new ExpressionError(`a pattern is longer than ${MAX_PATTERN_LENGTH} characters`);
  try {
    const instructions = RE2JS.compile(source).programSize();
    const set = new RE2Set(RE2Set.UNANCHORED, 0, MAX_BYTES);
    set.add(source);
    set.compile();
    return new Pattern(set, instructions);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    throw new ExpressionError(`a pattern is not in RE2 syntax: ${reason}`);
  }
}

/** Teaches the environment to match texts. */
export function registerPatterns(environment: Environment): void {
  environment
    .registerType('pattern', { ctor: Pattern, fields: {} })
    .registerVariable('__patterns', 'list<pattern>')
    .registerFunction(
      `string.${own}matches(pattern): bool`,
      (text: string, pattern: Pattern) => pattern.isIn(text),
      { async: false },
    );
}
