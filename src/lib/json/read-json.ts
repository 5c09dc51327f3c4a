import { decodeInTurns, type Decoder } from '../decode.js';
import { PIECE_LENGTH } from '../pieces.js';
import { type Pause, turn } from '../turn.js';
import { isJsonList, type Json, type JsonObject, NumberLiteral } from './json.js';
import { quote } from '../quote.js';

/** Reads UTF-8 bytes strictly as RFC 8259, in one pass, every number as it is spelled. Throws `JsonRefusal`. */
export function readJson(bytes: Uint8Array, limits: JsonLimits): Json {
  return new JsonReader(decoder.decode(bytes), limits).read(Infinity) ?? null;
}

/** Reads JSON in slices of some milliseconds, between which other requests have the event loop. */
export async function readJsonInTurns(bytes: Uint8Array, limits: JsonLimits): Promise<Json> {
  const isLong = bytes.length > PIECE_LENGTH;
  const reader = new JsonReader(
    isLong ? await decodeInTurns(bytes, strictDecoder()) : decoder.decode(bytes),
    limits,
  );
  for (;;) {
    const value = reader.read(performance.now() + SLICE_MS);
    // What is done next with a long body gets a turn of its own.
    if (value === undefined || isLong) await turn();
    if (value !== undefined) return value;
  }
}

const SLICE_MS = 10;
const decoder = strictDecoder();

function strictDecoder(): Decoder {
  const strict = new TextDecoder('utf-8', { fatal: true });
  return {
    decode(bytes, options) {
      try {
        return strict.decode(bytes, options);
      } catch {
        throw new JsonRefusal('The JSON is not valid UTF-8.');
      }
    },
  };
}

/** What `JSON.parse` makes of UTF-8 bytes that we know to be JSON, in such slices. */
export async function parseInTurns(bytes: Uint8Array, pause: Pause): Promise<unknown> {
  const reader = new JsonReader(await decodeInTurns(bytes, new TextDecoder(), pause), undefined);
  for (;;) {
    const value = reader.read(performance.now() + SLICE_MS);
    await pause();
    if (value !== undefined) return plainOf(value, pause);
  }
}

async function plainOf(json: Json, pause: Pause): Promise<unknown> {
  if (json instanceof NumberLiteral) return Number(json.text);
  if (typeof json !== 'object' || json === null) return json;
  await pause();
  if (isJsonList(json)) {
    const list: unknown[] = [];
    for (const item of json) list.push(await plainOf(item, pause));
    return list;
  }
  const entries: [string, unknown][] = [];
  for (const [key, item] of json) entries.push([key, await plainOf(item, pause)]);
  return Object.fromEntries(entries);
}

/** How deep containers may nest, and how many keys one object may have. */
interface JsonLimits {
  readonly depth: number;
  readonly keys: number;
}

/** Why a text is not taken as JSON, in words that are safe to show. */
export class JsonRefusal extends Error {}

// More values than any honest body holds; a body of nothing but `{},` would else fill the memory.
const MAX_VALUES = 1_000_000;
// No name that a definition allows is longer. V8 hashes what is very long by its length alone: a Map of such keys takes
// quadratic time.
const MAX_KEY_LENGTH = 1_000;
// What is unescaped at a time.
const UNESCAPED_LENGTH = 2 ** 14;
// What a string holds that is not its own value: escapes, and control characters that JSON allows only as such.
const unplain = /[\\\u0000-\u001f]/;

/** An array or object whose end is yet to come; the key is that of the object's next value. */
interface Open {
  readonly container: Json[] | Map<string, Json>;
  readonly end: ']' | '}';
  key: string;
}

/**
 * Reads a text strictly as RFC 8259; step by step rather than by recursion, so that it can stop anywhere and go on later.
 * What a client sent has limits; what we have stored has none any more.
 */
class JsonReader {
  private at = 0;
  private values = 0;
  private readonly open: Open[] = [];
  /** What is read so far of a string that takes more than one step. */
  private pieces: string[] | undefined;

  constructor(
    private readonly text: string,
    private readonly limits: JsonLimits | undefined,
  ) {}

  /** Reads on, at least until this time; the whole value once it is complete. */
  read(until: number): Json | undefined {
    for (let steps = 1; ; steps += 1) {
      const value = this.step();
      if (value !== undefined) return value;
      if (steps % 64 === 0 && performance.now() > until) return undefined;
    }
  }

  /** Reads one more scalar, or the beginning of a container, and the ends of all containers behind it. */
  private step(): Json | undefined {
    let value = this.pieces ? this.nextPiece(this.pieces) : this.begin();
    while (value !== undefined) {
      const outer = this.open.at(-1);
      if (!outer) return this.whole(value);
      if (outer.container instanceof Map) outer.container.set(outer.key, value);
      else outer.container.push(value);
      if (this.takes(',')) {
        this.startNext(outer);
        value = undefined;
      } else {
        this.expect(outer.end);
        this.open.pop();
        value = outer.container;
      }
    }
    return undefined;
  }

  private whole(value: Json): Json {
    this.skipSpace();
    if (this.at < this.text.length) throw this.malformed();
    return value;
  }

  private begin(): Json | undefined {
    if (++this.values > MAX_VALUES && this.limits)
      throw new JsonRefusal(`The JSON holds more than ${MAX_VALUES} values.`);
    this.skipSpace();
    switch (this.text[this.at]) {
      case '{':
        return this.enter({ container: new Map<string, Json>(), end: '}', key: '' });
      case '[':
        return this.enter({ container: [], end: ']', key: '' });
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  /** Enters a container, unless it is empty and complete with that. */
  private enter(open: Open): Json | undefined {
    if (this.limits && this.open.length >= this.limits.depth)
      throw new JsonRefusal(`The JSON is nested deeper than ${this.limits.depth} levels.`);
    this.at++;
    if (this.takes(open.end)) return open.container;
    this.open.push(open);
    this.startNext(open);
    return undefined;
  }

  private startNext(open: Open): void {
    if (open.container instanceof Map) open.key = this.key(open.container);
  }

  private key(object: JsonObject): string {
    this.skipSpace();
    if (this.text[this.at] !== '"') throw this.malformed();
    const key = this.string() ?? this.pieces?.join('') ?? '';
    if (this.limits) requireKey(object, key, this.limits);
    this.expect(':');
    return key;
  }

  /** A string, or undefined where it takes further steps. */
  private string(): string | undefined {
    const start = this.at + 1;
    const end = this.text.indexOf('"', start);
    if (end < 0) throw this.malformed();
    const content = this.text.slice(start, end);
    if (unplain.test(content)) {
      this.at = start;
      return this.nextPiece((this.pieces = []));
    }
    this.at = end + 1;
    return content;
  }

  private nextPiece(pieces: string[]): string | undefined {
    const start = this.at;
    this.passPiece(start + UNESCAPED_LENGTH);
    pieces.push(this.unescape(start, this.at));
    if (this.at >= this.text.length) throw this.malformed();
    if (!this.passes('"')) return undefined;
    this.pieces = undefined;
    return pieces.join('');
  }

  /** Goes on to the string's end, or to about this place; never into an escape. */
  private passPiece(end: number): void {
    const last = Math.min(end, this.text.length);
    while (this.at < last) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) return;
      if (code !== 0x5c) this.at += 1;
      else this.at += this.text[this.at + 1] === 'u' ? 6 : 2;
    }
  }

  private unescape(start: number, end: number): string {
    try {
      return String(JSON.parse(`"${this.text.slice(start, end)}"`));
    } catch {
      throw this.malformed();
    }
  }

  // By hand: a regular expression needs memory for every digit that it may have to backtrack over.
  private number(): NumberLiteral {
    const start = this.at;
    this.passes('-');
    if (!this.passes('0')) this.digits();
    if (this.passes('.')) this.digits();
    if (this.passes('e') || this.passes('E')) {
      if (!this.passes('-')) this.passes('+');
      this.digits();
    }
    return new NumberLiteral(this.text.slice(start, this.at));
  }

  private passes(mark: string): boolean {
    if (this.text[this.at] !== mark) return false;
    this.at++;
    return true;
  }

  private digits(): void {
    const start = this.at;
    this.skip(isDigit, undigit);
    if (this.at === start) throw this.malformed();
  }

  private word<T>(word: string, meaning: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.malformed();
    this.at += word.length;
    return meaning;
  }

  private takes(mark: string): boolean {
    this.skipSpace();
    return this.passes(mark);
  }

  private expect(mark: string): void {
    if (!this.takes(mark)) throw this.malformed();
  }

  private skipSpace(): void {
    this.skip(isSpace, unspace);
  }

  /** Passes all such characters; megabytes of them by a search for another, which is faster than the loop. */
  private skip(isSuch: (code: number) => boolean, other: RegExp): void {
    const end = this.at + MAX_LENGTH_BY_LOOP;
    while (isSuch(this.text.charCodeAt(this.at))) {
      this.at++;
      if (this.at !== end) continue;
      other.lastIndex = end;
      this.at = other.exec(this.text)?.index ?? this.text.length;
    }
  }

  private malformed(): JsonRefusal {
    return new JsonRefusal(`The JSON is malformed at character ${this.at + 1}.`);
  }
}

function requireKey(object: JsonObject, key: string, { keys }: JsonLimits): void {
  if (key.length > MAX_KEY_LENGTH)
    throw new JsonRefusal(`The JSON has a key of more than 1,000 characters: ${quote(key)}`);
  if (object.has(key)) throw new JsonRefusal(`The JSON names ${quote(key)} twice in one object.`);
  if (object.size >= keys) throw new JsonRefusal(`The JSON has an object of more than ${keys} keys.`);
}

const MAX_LENGTH_BY_LOOP = 100;
const unspace = /[^ \n\r\t]/g;
const undigit = /[^0-9]/g;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
