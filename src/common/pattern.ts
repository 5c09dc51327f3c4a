import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException, RE2Set } from 're2js';

const MAX_LENGTH = 500;
// A pattern of this size compiles in some 15 ms, and its classes in 100 ms, during the first request that uses it.
const MAX_INSTRUCTIONS = 2500;
// The memory for the state cache of a pattern. Beyond it, matching goes on without the cache, and takes time in
// proportion to the text's length times the number of instructions.
const MAX_BYTES = 65_536;

/** A regular expression in RE2 syntax. */
export class Pattern {
  private set: RE2Set | undefined;

  constructor(
    private readonly source: string,
    readonly instructions: number,
  ) {}

  /** The time grows with the text's length times the number of instructions. */
  isIn(text: string): boolean {
    // Compiled at the first match, because most patterns of a definition are never used before it changes.
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

/** Why a text is not a pattern, as a predicate after the pattern's name. */
export class PatternError extends Error {}

/** Compiles a pattern, or finds it compiled; throws a `PatternError` if it is not valid. */
export const compilePattern = (source: string): Pattern => known.memo(source);

// Room for the most patterns of a workflow, at 64 kB each: in less, a task's patterns evict each other.
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

const tooLarge = 'is too large: repeat fewer things, or fewer times';

/** The sum of the counts in `{…}`: each becomes as many instructions, and compiling 50,000 takes seconds. */
function repetitions(source: string): number {
  const counts = Array.from(source.matchAll(/\{(\d+)(?:,(\d*))?\}/g), ([, least, most]) =>
    Math.max(Number(least), Number(most ?? 0)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
