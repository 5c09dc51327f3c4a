import { RE2JS, RE2JSException, RE2Set } from 're2js';

const MAX_LENGTH = 500;
// A pattern of this size compiles in some 15 ms, and its classes in 50 ms, in the first request that needs it.
const MAX_INSTRUCTIONS = 2500;
// The memory for the state cache of a pattern. Beyond it, matching needs no cache, and takes time in proportion to
// the length of the text times the number of instructions.
const MAX_BYTES = 65_536;

/** A regular expression in RE2 syntax, whose time is in proportion to the text's length. */
export class Pattern {
  private set: RE2Set | undefined;

  constructor(
    private readonly source: string,
    readonly instructions: number,
    /** The cost of compiling it, in instructions. */
    readonly size: number,
  ) {}

  /** Whether it matches the text or a part of it. */
  isIn(text: string): boolean {
    // Compiled at the first match: most patterns of a definition are never used before it changes.
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

/** Why a text is no pattern: reads after the name of the pattern. */
export class PatternError extends Error {}

/** Compiles a pattern; throws a `PatternError` where it cannot be. */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_LENGTH) throw new PatternError(`is longer than ${MAX_LENGTH} characters`);
  if (repeatedLength(source) > 2 * MAX_INSTRUCTIONS) throw new PatternError(tooLarge);
  const classes = sizeOfClasses(source);
  if (classes > MAX_INSTRUCTIONS) throw new PatternError(tooManyInClasses);
  try {
    const instructions = RE2JS.compile(source).programSize();
    if (instructions > MAX_INSTRUCTIONS) throw new PatternError(tooLarge);
    return new Pattern(source, instructions, instructions + classes);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(`is not in RE2 syntax: ${error.message.replace(/^error parsing regexp: /, '')}`);
  }
}

const tooLarge = 'is too large: repeat fewer things, or fewer times';
const tooManyInClasses = 'is too large: name fewer characters, or mind upper and lower case';

/**
 * How many instructions take as long to compile as the classes. Without case, every character of a range is examined,
 * which takes milliseconds for a wide one, and those of a `\p{…}` are sorted together with their other cases.
 */
function sizeOfClasses(source: string): number {
  const named = [...source.matchAll(/\\p/gi)].length;
  if (!/\(\?[a-z-]*i/i.test(source)) return named;
  const ranges = [...source.matchAll(range)].map(([, low = '', high = '']) => widthOf(low, high));
  return ranges.reduce((sum, width) => sum + width, 4 * named * IN_AN_INSTRUCTION) / IN_AN_INSTRUCTION;
}

const IN_AN_INSTRUCTION = 500;

/** Anything that may be a range; the end of one may be the start of the next. */
const range = /(\\x\{[^}]*\}|\\x..|\\.|[^\\])-(?=(\\x\{[^}]*\}|\\x..|\\.|[^\\]))/gsu;

/** How many characters of a range are examined: those from the first to the last with another case, if not all. */
function widthOf(low: string, high: string): number {
  const [from, to] = [codeOf(low), codeOf(high)];
  if (from <= FIRST_CASED && to >= LAST_CASED) return 0;
  return Math.max(Math.min(to, LAST_CASED) - Math.max(from, FIRST_CASED), 0);
}

const FIRST_CASED = 0x41;
const LAST_CASED = 0x1e943;

function codeOf(character: string): number {
  const hex = /^\\x\{?([0-9a-f]+)/i.exec(character)?.[1];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return character.replace(/^\\/, '').codePointAt(0) ?? 0;
}

/**
 * The approximate length of a pattern with its repetitions written out, which is near its number of instructions: to
 * compile it and count them can take seconds.
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

/** One token each: an escape, a class, a number of repetitions, a character. */
const tokens = /\\(?:[pPx]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;
