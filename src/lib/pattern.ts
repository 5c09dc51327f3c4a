import { RE2JS, RE2JSException, RE2Set } from 're2js';

const MAX_LENGTH = 500;
// Such a pattern is compiled in some 15 ms by the first request that needs it.
const MAX_INSTRUCTIONS = 2500;
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
  if (repeatedLength(source) > 2 * MAX_INSTRUCTIONS) throw new PatternError(tooLarge);
  try {
    const instructions = RE2JS.compile(source).programSize();
    if (instructions > MAX_INSTRUCTIONS) throw new PatternError(tooLarge);
    const set = new RE2Set(RE2Set.UNANCHORED, 0, MAX_BYTES);
    set.add(source);
    set.compile();
    return new Pattern(set, instructions);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(`is not in RE2 syntax: ${error.message.replace(/^error parsing regexp: /, '')}`);
  }
}

const tooLarge = 'is too large: repeat fewer things, or fewer times';

/**
 * How long a pattern would be about if all that is repeated were written out, which is near the number of instructions: to
 * compile it and count those can take seconds.
 */
function repeatedLength(source: string): number {
  const open = [0];
  let last = 0;
  for (const [token, least, most] of source.matchAll(tokens)) {
    if (token === '(') open.push(0);
    const length = open.pop() ?? 0;
    if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0));
      open.push(length + last * (times - 1));
      last *= times;
    } else {
      last = token === ')' ? length : Number(token !== '(');
      open.push((token === ')' ? (open.pop() ?? 0) : length) + last);
    }
  }
  return open.reduce((sum, length) => sum + length);
}

/** What counts as one: an escape, a class, a number of repetitions, a character. */
const tokens = /\\(?:[pPx]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;
