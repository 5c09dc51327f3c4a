import fc from 'fast-check';
import { isJsonList, type Json, NumberLiteral } from '../json.js';
import { JsonRefusal, readJson } from '../read-json.js';

const limits = { depth: 32, keys: 2000 };
const malformed = /^The JSON is malformed at character \d+\.$/;

function read(text: string): Json {
  return readJson(Buffer.from(text), limits);
}

function refusal(bytes: Uint8Array): string {
  try {
    readJson(bytes, limits);
  } catch (error) {
    if (error instanceof JsonRefusal) return error.message;
    throw error;
  }
  return 'accepted';
}

/** What plain JSON.parse would have made of it; numbers by value, which is enough for numbers that JavaScript wrote. */
function plain(json: Json): unknown {
  if (json === null || typeof json !== 'object') return json;
  if (json instanceof NumberLiteral) return Number(json.text);
  if (isJsonList(json)) return json.map(plain);
  return Object.fromEntries([...json].map(([key, value]) => [key, plain(value)]));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('what is read', () => {
  it('gives objects as Maps, numbers as they are spelled', () => {
    expect(read(' { "a" : [ 1.50 , -0, 1E+400, true, null ] , "__proto__" : {"constructor":"x"} } ')).toEqual(
      new Map<string, Json>([
        ['a', [new NumberLiteral('1.50'), new NumberLiteral('-0'), new NumberLiteral('1E+400'), true, null]],
        ['__proto__', new Map([['constructor', 'x']])],
      ]),
    );
    expect(Object.prototype).not.toHaveProperty('x');
  });

  it('unescapes strings and leaves NUL and unpaired surrogates for the types to refuse', () => {
    expect(read(String.raw`["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","\\\\","\\\"","\u0000\ud800"]`)).toEqual([
      ...['"\\/\b\f\n\r\té😀', '\\\\', '\\"', '\0\ud800'],
    ]);
  });

  it('passes over a byte order mark, as RFC 8259 allows', () => {
    expect(read('\ufeff{}')).toEqual(new Map());
  });
});

describe('JSONTestSuite', () => {
  const accepted = [
    ...String.raw`[] {} {"":0} [""] "x" 42 -0.1 null [0e1] [0e+1] [1E22] [1E-2] [-0] [123.456e78] [0.1]
      ["⍂㈴⍂"] ["\ud801\udc37"] ["\u0012"] ["\uDBFF\uDFFE"] {"\u0000":42} ["a/*b*/c"] ["\""]
      ["\uD800"] ["\uDd1e\uD834"] [1e999999] [-237462374673276894279832749832423479823246]`.split(/\s+/),
    ...['[[]   ]', ' [1]', '[1\n,2]', '\ttrue\r', '"\u007f"', '["\u2028"]', '["\uffff"]'],
  ];
  const refused = [
    ...String.raw`[ ] { } [1,] [,1] [1,,2] [1]] []x [1 ["x" ["x " [x {"a":1,} {,"a":1} {"a" {"a": {a:1} {'a':1}
      {1:1} {"a"::1} {"a":1}} {"a":"b"}# {"a":"b"}/**/ {null:null} [1:2] [""}  ["":1] {[:"x"}
      [01] [-01] [1.] [.5] [+1] [-] [--1] [1e] [1e+] [0e] [1.e3] [1+2] [0x1] [NaN] [Infinity]
      [-Infinity] [1_000] [１] [9.e+] [-1x] [1eE2] [nul] [True] [truth] [fals] nulll [undefined]
      ['a'] ["\x00"] ["\u00A"] ["\"] ["\a"] ["\u"] ["\uD834\u"] ["\ ["\\\"] \u0020[] {"😀":"\🐱"}
      <.> [⟂] å * "x"y abc`.split(/\s+/),
    ...['', ' ', '[1 2]', '{"a" 1}', '{"a":1 "b":2}', '["a\nb"]', '["\t"]', '1 2'],
    ...['["\0"]', '[\f]', '[\u00a0]', '\u2060[]', '[\u000b1]', '\0'],
  ];

  it.each(accepted)('accepts %j', (text) => {
    expect(plain(read(text))).toEqual(JSON.parse(text));
  });

  it.each(refused)('refuses %j', (text) => {
    expect(isJson(text)).toBe(false);
    expect(refusal(Buffer.from(text))).toMatch(malformed);
  });

  it.each([
    '22ff22',
    '22c08022',
    '22eda08022',
    '22f0288cbc22',
    '22c3',
    'efbb7b7d',
    'fffe5b005d00',
    '22f490808022',
  ])('refuses the bytes %s, which are not UTF-8', (hex) => {
    expect(refusal(Buffer.from(hex, 'hex'))).toBe('The JSON is not valid UTF-8.');
    expect(read('"still works"')).toBe('still works');
  });
});

describe('2. and 11. what JSON allows and this service does not', () => {
  it.each(['{"a":1,"a":1}', String.raw`{"a":1,"\u0061":2}`, '[{"b":{"a":0,"c":1,"a":null}}]'])(
    'refuses a key that is given twice: %s',
    (text) => {
      expect(refusal(Buffer.from(text))).toBe('The JSON names "a" twice in one object.');
    },
  );

  it('allows a key again in another object, and twice the prototype of nothing', () => {
    expect(plain(read('[{"a":1},{"a":{"a":2}}]'))).toEqual([{ a: 1 }, { a: { a: 2 } }]);
    expect(refusal(Buffer.from('{"__proto__":1,"__proto__":2}'))).toMatch(/twice/);
  });

  it('quotes no more than the beginning of a key, on one line', () => {
    const key = JSON.stringify('\n'.repeat(1000));
    expect(refusal(Buffer.from(`{${key}:1,${key}:2}`))).toMatch(/^.{1,260}$/);
  });

  it.each([33, 1000, 1_000_000])('refuses %d nested containers', (depth) => {
    expect(refusal(Buffer.from('['.repeat(depth)))).toBe('The JSON is nested deeper than 32 levels.');
    expect(refusal(Buffer.from('{"a":'.repeat(depth)))).toBe('The JSON is nested deeper than 32 levels.');
  });

  it('accepts 32 nested containers', () => {
    expect(read(`${'['.repeat(32)}${']'.repeat(32)}`)).toBeDefined();
  });

  it('accepts 2,000 keys in one object and refuses one more', () => {
    const keys = Array.from({ length: 2001 }, (_, index) => `"k${index}":0`);
    expect(read(`{${keys.slice(1).join()}}`)).toHaveProperty('size', 2000);
    expect(refusal(Buffer.from(`{${keys.join()}}`))).toBe('The JSON has an object of more than 2000 keys.');
  });

  it('refuses more than 100,000 values, which are few bytes but much memory', () => {
    expect(refusal(Buffer.from(`[${'{},'.repeat(100_000)}{}]`))).toBe(
      'The JSON holds more than 100000 values.',
    );
  });

  it.each([
    ['one string', `"${'QUJD'.repeat(2_500_000)}"`],
    ['back-slashes', `"${'\\\\'.repeat(5_000_000)}"`],
    ['escaped quotes', `"${'\\"'.repeat(5_000_000)}"`],
    ['one number', '9'.repeat(10_000_000)],
    ['one long fraction', `0.${'0'.repeat(10_000_000)}`],
    ['white space', `${' '.repeat(10_000_000)}0`],
  ])('reads 10 MB of %s', (_, text) => {
    expect(read(text)).toBeDefined();
  });
});

describe('laws', () => {
  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 8 }), fc.nat(2), (value, indent) => {
        fc.pre(JSON.stringify(value).normalize('NFC') === JSON.stringify(value));
        expect(plain(read(JSON.stringify(value, null, indent)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('accepts exactly what JSON.parse accepts', () => {
    const marks = fc.constantFrom(
      ...String.raw`{ } [ ] , : " 0 1 2 . - + e E \ / u x "" "a" true null \" \u00e9`.split(' '),
    );
    const spaces = fc.constantFrom(' ', '\n', '\t', '\f', '\u00a0', '\0');
    const soup = fc
      .array(fc.oneof({ arbitrary: marks, weight: 9 }, spaces), { maxLength: 12 })
      .map((parts) => parts.join(''));
    const damaged = fc.tuple(fc.json({ maxDepth: 3 }), fc.nat(), soup).map(([text, at, noise]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + noise.slice(0, 2) + text.slice(cut + 1);
    });
    fc.assert(
      fc.property(fc.oneof(soup, damaged), (text) => {
        const message = refusal(Buffer.from(text));
        if (message.includes('twice')) return;
        expect(message === 'accepted').toBe(isJson(text));
        if (message === 'accepted') expect(plain(read(text))).toEqual(JSON.parse(text));
      }),
    );
  });
});
