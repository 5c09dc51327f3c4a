import { RE2JS, RE2JSException, RE2Set } from 're2js';

const MAX_LENGTH = 500;
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
    return this.set.match(text).length > 0;
  }
}

/** Why a text is no pattern: reads after what the pattern is called. */
export class PatternError extends Error {}

/** Compiles a pattern; throws a `PatternError` where it cannot be. */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_LENGTH) throw new PatternError(`is longer than ${MAX_LENGTH} characters`);
  try {
    const instructions = RE2JS.compile(source).programSize();
    const set = new RE2Set(RE2Set.UNANCHORED, 0, MAX_BYTES);
    set.add(source);
    set.compile();
    return new Pattern(set, instructions);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(`is not in RE2 syntax: ${error.message.replace(/^error parsing regexp: /, '')}`);
  }
}
