import { type FieldOptions, parseFilterValue, parseValue } from '../../../src/workflows/fields/field-type.js';
import { fieldTypes } from '../../../src/workflows/fields/field-types.js';
import { Invalid } from '../../../src/workflows/fields/invalid.js';
import { type Json, NumberLiteral } from '../../../packages/exact-json/json.js';

type Settings = Readonly<Record<string, unknown>>;

const users = { ranked: [], find: () => undefined, get: () => undefined };

function typeOf(name: string) {
  const type = fieldTypes.get(name);
  if (!type) throw new Error(name);
  return type;
}

/** What is said of an input by these settings; undefined where it is taken. */
function refusal(name: string, input: Json, settings: Settings): string | undefined {
  const value = parseValue(typeOf(name), input, { ...settings, users });
  return value instanceof Invalid ? value.message : undefined;
}

describe('the rules of a field', () => {
  it.each<[string, Settings, Json, string | undefined]>([
    ['number', { min: '10' }, new NumberLiteral('9.99'), 'must be at least 10'],
    ['number', { min: '10' }, '10.0', undefined],
    ['number', { max: '10' }, new NumberLiteral('1e2'), 'must be at most 10'],
    ['number', { min: '-0.5', max: '1e1' }, '-0.50', undefined],
    ['number', { max: '99999999999999999999999999999999999998' }, '99999999999999999999999999999999999999', 'must be at most 99999999999999999999999999999999999998'],
    ['currency', { min: '0.01', decimals: 2 }, '0', 'must be at least 0.01'],
    ['date', { min: '2026-01-01' }, '2025-12-31', 'must not be before 2026-01-01'],
    ['datetime', { max: '2026-01-01T00:00:00+02:00' }, '2025-12-31T22:00:00.001Z', 'must not be after 2026-01-01T00:00:00+02:00'],
    ['datetime', { min: '2026-01-01T00:00:00+02:00' }, '2025-12-31T22:00:00Z', undefined],
    ['text', { max_length: 3 }, '🦊🦊🦊', undefined],
    ['text', { max_length: 3 }, 'four', 'is longer than 3 characters'],
    ['text', { max_length: 20_000 }, 'x'.repeat(10_001), 'is longer than 10,000 characters'],
    ['text', { pattern: '^[A-Z]{2}-[0-9]+$' }, 'AB-12', undefined],
    ['text', { pattern: '^[A-Z]{2}-[0-9]+$' }, 'ab-12', 'does not match the pattern ^[A-Z]{2}-[0-9]+$'],
    ['text', { pattern: '[0-9]' }, 'a part is enough: 7', undefined],
    ['text', { pattern: '^[0-9]+$' }, new NumberLiteral('7.5'), 'does not match the pattern ^[0-9]+$'],
    ['longText', { pattern: '(?s)^a.*z$', max_length: 100 }, 'a\n\nz', undefined],
    ['email', { pattern: '@acme[.]test$' }, 'mina@other.test', 'does not match the pattern @acme[.]test$'],
    ['uniqueId', { pattern: '^PO-' }, 'X-1', 'does not match the pattern ^PO-'],
  ])('%s with %j judges %s', (name, settings, input, expected) => {
    expect(refusal(name, input, settings)).toBe(expected);
  }); // prettier-ignore

  it('apply neither to blank values nor to filters', () => {
    expect(refusal('number', null, { min: '10' })).toBeUndefined();
    expect(refusal('text', '', { pattern: 'x' })).toBeUndefined();
    const options: FieldOptions = { min: '10', pattern: 'x', users };
    expect(parseFilterValue(typeOf('number'), '9', options)).toBe('9');
    expect(parseFilterValue(typeOf('text'), 'y', options)).toBe('y');
  });

  it.each<[string, Settings, string, string]>([
    ['number', { min: 'ten' }, 'min', 'is not a number such as 1234.56'],
    ['date', { max: '2026-02-30' }, 'max', 'is not a day of the calendar'],
    ['datetime', { min: '2026-01-01T00:00:00Z', max: '2026-01-01T00:00:00+01:00' }, 'max', 'comes before min: 2026-01-01T00:00:00Z'],
    ['number', { min: '10', max: '9.9' }, 'max', 'comes before min: 10'],
    ['text', { pattern: '(a' }, 'pattern', 'is not in RE2 syntax: missing closing ): `(a`'],
    ['text', { pattern: '(a)\\1' }, 'pattern', 'is not in RE2 syntax: invalid escape sequence: `\\1`'],
    ['longText', { pattern: '^(a|b|c|d|e|f)' }, 'pattern', 'is too large for texts of 200,000 characters: set a smaller max_length'],
    ['text', { pattern: '(ab?){200}' }, 'pattern', 'is too large for texts of 10,000 characters: set a smaller max_length'],
    ['text', { pattern: 'a{1000}b{1000}c{600}', max_length: 1 }, 'pattern', 'is too large: use fewer or smaller repetitions'],
    ['uniqueId', { pattern: '^P', autoincrement: true }, 'pattern', 'cannot be combined with autoincrement'],
  ])('%s with %j is refused', (name, settings, key, message) => {
    expect(typeOf(name).settingFaults?.(settings)).toEqual([{ key, message }]);
  }); // prettier-ignore
});
