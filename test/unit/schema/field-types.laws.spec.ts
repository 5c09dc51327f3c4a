import fc from 'fast-check';
import { type FieldOptions, type FieldType, type Stored } from '../../../src/schema/field-type.js';
import { fieldTypes } from '../../../src/schema/field-types.js';
import { Invalid } from '../../../src/schema/invalid.js';
import { type Json, NumberLiteral } from '../../../packages/exact-json/json.js';

const mina = { id: '7', email: 'Mina@acme.test', active: true };
const names = ['\uffff', '\u{1f600}', 'constructor', 'Gold'];
const options: FieldOptions = {
  options: names,
  users: {
    ranked: [],
    find: (email) => (email.toLowerCase() === 'mina@acme.test' ? mina : undefined),
    get: (id) => (id === '7' ? mina : undefined),
  },
};

const seeds = [
  'true',
  '1.50',
  '-0.0',
  '2024-02-29',
  '2024-02-29T24:00:00Z',
  'mina@ACME.test',
  'Gold',
  '.',
  '+1 234',
];
const words = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\ud800', '\udc00', '\0', '\t', '0', '9', '.', '-', 'e', '@', 'a', ' '),
  }),
  fc.constantFrom('__proto__', 'constructor', 'http://a.b/', 'Z'.repeat(300), ...seeds),
);
const literals = fc
  .tuple(fc.bigInt(), fc.option(fc.nat()), fc.option(fc.integer()))
  .map(
    ([whole, part, power]) =>
      `${whole}${part === null ? '' : `.${part}`}${power === null ? '' : `e${power}`}`,
  )
  .map((text) => new NumberLiteral(text));
const { inputs } = fc.letrec<{ inputs: Json }>((tie) => ({
  inputs: fc.oneof(
    { maxDepth: 3 },
    words,
    literals,
    fc.boolean(),
    fc.array(fc.oneof(tie('inputs'), fc.constantFrom('Gold', 'constructor')), { maxLength: 4 }),
    fc.array(fc.tuple(words, tie('inputs')), { maxLength: 4 }).map((entries) => new Map(entries)),
  ),
}));

/** For each type, inputs that it is likely to accept. */
const likely = new Map<string, fc.Arbitrary<Json>>([
  ['text', fc.string({ unit: 'grapheme' })],
  ['longText', fc.string({ unit: 'grapheme' })],
  [
    'number',
    fc.oneof(
      decimals(),
      decimals().map((text) => new NumberLiteral(`${text}e-3`)),
    ),
  ],
  ['currency', fc.tuple(wholes(), fc.nat(99)).map(([whole, cents]) => `${whole}.${cents}`)],
  ['phone', fc.stringMatching(/^\+[0-9]{3,12}( x[0-9]{1,3})?$/)],
  ['date', days()],
  ['datetime', fc.tuple(days(), fc.nat(59), fc.constantFrom('Z', '+05:30', '-23:59')).map(instant)],
  ['person', fc.mixedCase(fc.constant('mina@acme.test'))],
  ['singleSelect', fc.constantFrom(...names)],
  ['multipleSelect', fc.shuffledSubarray([...names], { minLength: 1 })],
  ['checkbox', fc.constantFrom(true, 'true')],
  [
    'uniqueId',
    fc.oneof(
      fc.uuid(),
      fc.bigInt().map((id) => new NumberLiteral(`${id}`)),
    ),
  ],
  ['email', fc.emailAddress()],
  ['url', fc.webUrl({ withFragments: true, withQueryParameters: true })],
]);

describe.each([...fieldTypes])('%s', (name, type) => {
  it('never throws, and never stores what PostgreSQL would change', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const stored = type.isBlank(input) ? undefined : type.parse(input, options);
        if (stored instanceof Invalid) expect(stored.message).toMatch(/^[a-z]/);
        else if (stored !== undefined) expect(JSON.stringify(stored)).not.toMatch(/\\u0000|\\ud[89a-f]/);
      }),
    );
  });

  it('never throws on the text of a filter', () => {
    fc.assert(
      fc.property(words, (text) => {
        type.parseFilter(text, options);
      }),
    );
  });

  const arbitrary = likely.get(name);
  if (arbitrary)
    it('reads what it wrote as the same stored value', () => {
      let accepted = 0;
      const law = fc.property(arbitrary, (input) => {
        const stored = type.isBlank(input) ? undefined : type.parse(input, options);
        if (stored === undefined || stored instanceof Invalid) return;
        accepted++;
        expect(type.parse(asInput(type, stored), options)).toEqual(stored);
      });
      fc.assert(law);
      expect(accepted).toBeGreaterThan(30);
    });
});

describe('number', () => {
  const number = fieldTypes.get('number');

  it('is exact to 38 digits, wherever the point stands and however it is spelled', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 38n - 1n }), fc.nat(38), (value, places) => {
        const stored = number?.parse(new NumberLiteral(`${value}e-${places}`), options);
        expect(typeof stored === 'string' && scaled(stored, 38)).toBe(value * 10n ** BigInt(38 - places));
      }),
    );
  });

  it('stores equal numbers as equal text', () => {
    fc.assert(
      fc.property(wholes(), fc.nat(8), (value, zeros) => {
        const padding = '0'.repeat(zeros);
        const longer = value === 0n ? '0' : `${value}${padding}`;
        for (const spelling of [`${value}`, `${value}.0${padding}`, `${longer}e-${zeros}`, `${value}.0e0`])
          expect(number?.parse(new NumberLiteral(spelling), options)).toBe(`${value}`);
      }),
    );
  });
});

describe('datetime', () => {
  it('agrees with the calendar of Date on every day that both know', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(fieldTypes.get('datetime')?.parse(date.toISOString(), options)).toBe(date.toISOString());
        },
      ),
    );
  });
});

/** What a client would send back of what it was given. */
function asInput(type: FieldType, stored: Stored): Json {
  const output = type.serialize(stored, options);
  if (Array.isArray(output)) return output.map(String);
  return typeof output === 'object' ? null : output;
}

function wholes(): fc.Arbitrary<bigint> {
  return fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
}

function decimals(): fc.Arbitrary<string> {
  return fc.tuple(wholes(), fc.nat()).map(([whole, part]) => `${whole}.${part}`);
}

function days(): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.integer({ min: 1, max: 9999 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 31 }),
    )
    .map(([year, month, day]) => [pad(year, 4), pad(month, 2), pad(day, 2)].join('-'));
}

function instant([day, minute, offset]: [string, number, string]): string {
  return `${day}T23:${pad(minute, 2)}:00.5${offset}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** A canonical decimal as an integer of 10^-places, by BigInt alone. */
function scaled(text: string, places: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}

describe.each([...fieldTypes])('%s, given 10 MB', (_, type) => {
  // A pattern needs memory for every character that it might have to give back, and V8 ends that with a RangeError.
  const long = [
    '1'.repeat(10_000_000),
    `2026-01-02T10:00:00.${'0'.repeat(10_000_000)}`,
    `a@${'b.'.repeat(5_000_000)}`,
  ];

  it.each(long.flatMap((text) => [[text], [new NumberLiteral(text)]]))('refuses it (%#)', (input) => {
    expect(type.parse(input, options)).toBeInstanceOf(Invalid);
  });
});
