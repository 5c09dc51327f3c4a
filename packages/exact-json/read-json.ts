import { type Json, type JsonObject, NumberLiteral } from './json.js';
import { toNfc } from './nfc.js';

/** The deepest nesting, and the most keys of one object. */
interface JsonLimits {
  readonly depth: number;
  readonly keys: number;
}

/** A text was refused as JSON. The message is safe to show. */
export class JsonRefusal extends Error {}

/** Parses strict RFC 8259 JSON. Keeps the text of numbers. Normalizes texts to NFC. Throws `JsonRefusal`. */
export function readJson(bytes: Uint8Array, limits: JsonLimits): Json {
  return new JsonReader(decode(bytes), limits).read();
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new JsonRefusal('The JSON is not valid UTF-8.');
  }
}

// A body that repeats `{},` takes 40 times its size in memory.
const MAX_VALUES = 100_000;
// No definition allows a longer name. V8 hashes a very long text only by its length, so a Map with very long
// keys would take quadratic time.
const MAX_KEY_LENGTH = 1_000;
const MAX_SHOWN = 100;
// Strings with escapes take the slow path. So do strings with control characters, which JSON forbids.
const unplain = /[\\\u0000-\u001f]/;

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
    if (++this.values > MAX_VALUES) throw new JsonRefusal(`The JSON holds more than ${MAX_VALUES} values.`);
    this.skipSpace();
    switch (this.text[this.at]) {
      case '{':
        return this.object(this.deeper(depth));
      case '[':
        return this.list(this.deeper(depth));
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

  private deeper(depth: number): number {
    if (depth >= this.limits.depth)
      throw new JsonRefusal(`The JSON is nested deeper than ${this.limits.depth} levels.`);
    this.at++;
    return depth + 1;
  }

  private object(depth: number): Json {
    const object = new Map<string, Json>();
    if (this.takes('}')) return object;
    do {
      const key = this.key(object);
      object.set(key, this.value(depth));
    } while (this.takes(','));
    this.expect('}');
    return object;
  }

  private list(depth: number): Json {
    const list: Json[] = [];
    if (this.takes(']')) return list;
    do list.push(this.value(depth));
    while (this.takes(','));
    this.expect(']');
    return list;
  }

  private key(object: JsonObject): string {
    this.skipSpace();
    if (this.text[this.at] !== '"') throw this.malformed();
    const key = this.string();
    if (key.length > MAX_KEY_LENGTH)
      throw new JsonRefusal(`The JSON has a key of more than 1,000 characters: ${quote(key)}`);
    if (object.has(key)) throw new JsonRefusal(`The JSON names ${quote(key)} twice in one object.`);
    if (object.size >= this.limits.keys)
      throw new JsonRefusal(`The JSON has an object of more than ${this.limits.keys} keys.`);
    this.expect(':');
    return key;
  }

  private string(): string {
    return toNfc(this.writtenString());
  }

  private writtenString(): string {
    const start = this.at + 1;
    const end = this.text.indexOf('"', start);
    if (end < 0) throw this.malformed();
    const content = this.text.slice(start, end);
    if (unplain.test(content)) return this.escapedString(start);
    this.at = end + 1;
    return content;
  }

  private escapedString(start: number): string {
    this.at = start;
    while (this.at < this.text.length && this.text[this.at] !== '"')
      this.at += this.text[this.at] === '\\' ? 2 : 1;
    try {
      return String(JSON.parse(this.text.slice(start - 1, ++this.at)));
    } catch {
      throw this.malformed();
    }
  }

  // Uses no regular expression, because backtracking would need memory for each digit.
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

  private passes(mark: string): boolean {
    if (this.text[this.at] !== mark) return false;
    this.at++;
    return true;
  }

  private takes(mark: string): boolean {
    this.skipSpace();
    return this.passes(mark);
  }

  private expect(mark: string): void {
    if (!this.takes(mark)) throw this.malformed();
  }

  private skipSpace(): void {
    while (isSpace(this.text.charCodeAt(this.at))) this.at++;
  }

  private malformed(): JsonRefusal {
    return new JsonRefusal(`The JSON is malformed at character ${Math.min(this.at, this.text.length) + 1}.`);
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A key in quotes, cut after 100 characters. */
function quote(key: string): string {
  return key.length > MAX_SHOWN ? `${JSON.stringify(key.slice(0, MAX_SHOWN))}…` : JSON.stringify(key);
}
