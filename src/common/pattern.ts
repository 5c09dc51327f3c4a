import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException, RE2Set } from 're2js';

const MAX_LENGTH = 500;
// A pattern with this many instructions compiles in some 15 ms, or with large character classes in 100 ms.
const MAX_INSTRUCTIONS = 2500;
// The memory for the state cache of a pattern. When the cache is full, matching continues without the cache.
// Then the time grows with the text's length times the number of instructions.
const MAX_BYTES = 65_536;

/** A regular expression in RE2 syntax. */
export class Pattern {
  private set: RE2Set | undefined;

  constructor(
    private readonly source: string,
    readonly instructions: number,
  ) {}

  /** Whether the text has a match. For the time that this takes, see `MAX_BYTES`. */
  isIn(text: string): boolean {
    // Compiled at the first call, because most patterns of a definition are never used.
    this.set ??= setOf(this.source);
    return this.set.match(text).length > 0;
  }
}

function setOf(source: string): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, MAX_BYTES);
  set.add(source);
  set.compile();
  return set;
}

/** Says why a text is not a valid pattern: `is too large`. Callers add a name: `a pattern is too large`. */
export class PatternError extends Error {}

/** Compiles a pattern, or returns it from the cache. Throws a `PatternError` for an invalid pattern. */
export const compilePattern = (source: string): Pattern => known.memo(source);

// A check of a task needs the patterns of all fields. There is room for the patterns of the largest workflow.
// A pattern takes 64 kB.
const known = new LRUCache<string, Pattern>({ max: 1000, memoMethod: compile });

function compile(source: string): Pattern {
  if (source.length > MAX_LENGTH) throw new PatternError(`is longer than ${MAX_LENGTH} characters`);
  if (repetitions(source) > MAX_INSTRUCTIONS) throw new PatternError(tooLarge);
  try {
    const instructions = RE2JS.compile(source).programSize();
    if (instructions <= MAX_INSTRUCTIONS) return new Pattern(source, instructions);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(`is not in RE2 syntax: ${error.message.replace(/^error parsing regexp: /, '')}`);
  }
  throw new PatternError(tooLarge);
}

const tooLarge = 'is too large: use fewer or smaller repetitions';

/**
 * The sum of the counts in `{…}`, checked before the pattern is compiled. 50,000 repetitions become as many
 * instructions, which take seconds to compile.
 */
function repetitions(source: string): number {
  const counts = Array.from(source.matchAll(/\{(\d+)(?:,(\d*))?\}/g), ([, least, most]) =>
    Math.max(Number(least), Number(most ?? 0)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
