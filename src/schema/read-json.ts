import { type Json, type JsonObject, NumberLiteral } from './json.js';

/** How deep containers may nest, and how many keys one object may have. */
export interface JsonLimits {
  readonly depth: number;
  readonly keys: number;
}

/** Why a text is not taken as JSON, in words that are safe to show. */
export class JsonRefusal extends Error {}

/** Reads UTF-8 bytes strictly as RFC 8259, in one pass, every number as it is spelled. Throws `JsonRefusal`. */
export function readJson(bytes: Uint8Array, limits: JsonLimits): Json {
  return new JsonReader(decode(bytes), limits).read();
}

// More values than any honest body holds; a body of nothing but `{},` would else fill the memory.
const valueLimit = 1_000_000;
const decoder = new TextDecoder('utf-8', { fatal: true });
// What a string holds that is not its own value: escapes, and control characters that JSON allows only as such.
const unplain = /[\\\u0000-\u001f]/;

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new JsonRefusal('The JSON is not valid UTF-8.');
  }
}

class JsonReader {
  private at = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly limits: JsonLimits,
  ) {}

  read(): Json {
    const value = this.value(0);
    this.skipSpace();
    if (this.at < this.text.length) throw this.malformed();
    return value;
  }

  private value(depth: number): Json {
    if (++this.values > valueLimit) throw new JsonRefusal(`The JSON holds more than ${valueLimit} values.`);
    this.skipSpace();
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth + 1);
      case '[':
        return this.list(depth + 1);
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

  private object(depth: number): JsonObject {
    this.open(depth);
    const object = new Map<string, Json>();
    if (this.takes('}')) return object;
    do {
      const key = this.key(object);
      this.expect(':');
      object.set(key, this.value(depth));
    } while (this.takes(','));
    this.expect('}');
    return object;
  }

  private key(object: JsonObject): string {
    this.skipSpace();
    if (this.text[this.at] !== '"') throw this.malformed();
    const key = this.string();
    if (object.has(key)) throw new JsonRefusal(`The JSON names ${excerpt(key)} twice in one object.`);
    if (object.size >= this.limits.keys)
      throw new JsonRefusal(`The JSON has an object of more than ${this.limits.keys} keys.`);
    return key;
  }

  private list(depth: number): Json[] {
    this.open(depth);
    const list: Json[] = [];
    if (this.takes(']')) return list;
    do list.push(this.value(depth));
    while (this.takes(','));
    this.expect(']');
    return list;
  }

  private open(depth: number): void {
    if (depth > this.limits.depth)
      throw new JsonRefusal(`The JSON is nested deeper than ${this.limits.depth} levels.`);
    this.at++;
  }

  private string(): string {
    const start = this.at + 1;
    const end = this.endOfString(start);
    const content = this.text.slice(start, end);
    const string = unplain.test(content) ? this.unescape(start, end) : content;
    this.at = end + 1;
    return string;
  }

  private endOfString(start: number): number {
    let end = this.text.indexOf('"', start);
    while (end > 0 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    if (end < 0) throw this.malformed();
    return end;
  }

  // Looks back no further than the quote before, so that a text of back-slashes costs linear time.
  private isEscaped(quote: number): boolean {
    let start = quote;
    while (this.text[start - 1] === '\\') start--;
    return (quote - start) % 2 === 1;
  }

  private unescape(start: number, end: number): string {
    try {
      return String(JSON.parse(this.text.slice(start - 1, end + 1)));
    } catch {
      throw this.malformed();
    }
  }

  // By hand: a pattern needs memory for every digit that it might have to give back.
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
    while (isDigit(this.text.charCodeAt(this.at))) this.at++;
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
    for (let code = this.text.charCodeAt(this.at); isSpace(code); code = this.text.charCodeAt(this.at))
      this.at++;
  }

  private malformed(): JsonRefusal {
    return new JsonRefusal(`The JSON is malformed at character ${this.at + 1}.`);
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function excerpt(key: string): string {
  return key.length > 100 ? `${JSON.stringify(key.slice(0, 100))}…` : JSON.stringify(key);
}
