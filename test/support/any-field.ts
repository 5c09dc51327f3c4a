import fc from 'fast-check';
import { fieldTypes } from '../../src/schema/field-types.js';
import { type JsonMapping, type JsonValue } from '../../src/workspace/definition-reader.js';
import { anyLines, anyNames, anyText, some, sparse } from './any-text.js';

export interface FieldPlan {
  readonly name: string;
  readonly definition: JsonMapping;
  /** Values that a definition may give the field. */
  readonly values: fc.Arbitrary<JsonValue>;
}

type Parts = Record<string, fc.Arbitrary<JsonValue>>;

interface TypePlan {
  readonly settings?: Parts;
  readonly optional?: Parts;
  readonly values: fc.Arbitrary<JsonValue>;
}

const anyNumber = fc.constantFrom<JsonValue>(0, 1, -5, '12', '-7', 1000000, '99999999999999999999', 3, '-0');

const plain = new Map<string, TypePlan>([
  [
    'text',
    {
      optional: {
        max_length: fc.integer({ min: 100, max: 10_000 }),
        pattern: fc.constantFrom('', 'x?', '^').filter((p) => p !== ''),
      },
      values: anyText(100),
    },
  ],
  ['longText', { values: anyLines }],
  [
    'number',
    {
      optional: {
        decimals: fc.nat(20),
        min: fc.constantFrom<JsonValue>(-7, '-100.50'),
        max: fc.constantFrom<JsonValue>('99999999999999999999', 1e20),
      },
      values: anyNumber,
    },
  ],
  ['currency', { optional: { decimals: fc.nat(4) }, values: anyNumber }],
  ['phone', { values: fc.constantFrom('555-1234', '+49 30 1234', '12345') }],
  [
    'date',
    { optional: { max: fc.constant('2026-01-02') }, values: fc.constantFrom('2026-01-02', '0001-01-01') },
  ],
  ['datetime', { values: fc.constantFrom('2026-01-02T03:04:05Z', '2026-01-02t03:04:05.5+02:00') }],
  ['checkbox', { values: fc.boolean() }],
  ['email', { values: fc.constantFrom('a@b.test', 'ü+x@b.test') }],
  ['url', { values: fc.constantFrom('https://a.test', 'http://a.test/?b=1#c,{d}') }],
]);

/** A field of any type; only the designated field may be the Unique ID. */
export function anyField(
  name: string,
  users: readonly JsonMapping[],
  mayBeUnique: boolean,
): fc.Arbitrary<FieldPlan> {
  const types = ['person', 'singleSelect', 'multipleSelect', 'file', ...plain.keys()];
  return fc
    .tuple(fc.constantFrom(...types), fc.boolean(), anyNames(1, 4))
    .chain(([other, isUnique, options]) => {
      const type = isUnique && mayBeUnique ? 'uniqueId' : other;
      return anyDefinition(name, type, planOf(type, users, options));
    });
}

function anyDefinition(
  name: string,
  type: string,
  { settings, optional, values }: TypePlan,
): fc.Arbitrary<FieldPlan> {
  const hasDefault = type !== 'uniqueId' && type !== 'file';
  return sparse(
    { name: fc.constant(name), type: fc.constant(type), ...settings },
    {
      required: fc.boolean(),
      editable: fc.boolean(),
      ...(type !== 'uniqueId' && { change: fc.constantFrom('freely', 'by_actions') }),
      ...(fieldTypes.get(type)?.indexedAs && { index: fc.boolean() }),
      ...optional,
      ...(hasDefault && { default: fc.option(values, { freq: 9 }) }),
    },
  ).map((definition) => ({ name, definition, values }));
}

function planOf(type: string, users: readonly JsonMapping[], options: readonly string[]): TypePlan {
  const active = users.filter((user) => user.active !== false).map(({ email }) => email ?? null);
  const settings = { options: fc.constant<JsonValue>([...options]) };
  if (type === 'person') return { values: fc.constantFrom(...active, null) };
  if (type === 'singleSelect') return { settings, values: fc.constantFrom(...options) };
  if (type === 'multipleSelect') return { settings, values: some(options) };
  if (type === 'file')
    return { optional: { limit: fc.integer({ min: 1, max: 1000 }) }, values: fc.constant(null) };
  if (type === 'uniqueId')
    return { optional: { autoincrement: fc.boolean() }, values: fc.constantFrom('A-1', '7', 7) };
  return plain.get(type) ?? { values: fc.constant(null) };
}
