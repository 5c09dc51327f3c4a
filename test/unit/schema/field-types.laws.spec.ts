import fc from 'fast-check';
import { type FieldOptions } from '../../../src/workflows/fields/field-type.js';
import { fieldTypes } from '../../../src/workflows/fields/field-types.js';
import { Invalid } from '../../../src/workflows/fields/invalid.js';
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

describe.each([...fieldTypes])('%s', (_, type) => {
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
});

describe('number', () => {
  const number = fieldTypes.get('number');

  it('is exact to 38 digits, wherever the point is and however the number is spelled', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 38n - 1n }), fc.nat(38), (value, places) => {
        const stored = number?.parse(new NumberLiteral(`${value}e-${places}`), options);
        expect(typeof stored === 'string' && scaled(stored, 38)).toBe(value * 10n ** BigInt(38 - places));
      }),
    );
  });
});

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
