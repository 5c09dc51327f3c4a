import { type FieldOptions, type Stored } from '../../../../src/workflows/fields/field-type.js';
import { Invalid } from '../../../../src/workflows/fields/invalid.js';
import { UserDirectory } from '../../../../src/workflows/fields/users.js';
import { convertValue } from '../../../../src/tasks/migrate-data/convert-values.js';

const users = new UserDirectory([
  { id: 'u1', email: 'Mina@acme.test', active: true },
  { id: 'u2', email: 'gone@acme.test', active: false },
]);

function convert(
  stored: Stored,
  from: string,
  to: string,
  before: Omit<FieldOptions, 'users'> = {},
  after: Omit<FieldOptions, 'users'> = {},
): unknown {
  const value = convertValue(
    stored,
    { type: from, options: { ...before, users } },
    { type: to, options: { ...after, users } },
  );
  return value instanceof Invalid ? `✗ ${value.message}` : value;
}

describe('convertValue', () => {
  it('keeps values that the new type accepts in the form of a response', () => {
    expect(convert('12.5', 'number', 'text')).toBe('12.5');
    expect(convert('10', 'currency', 'text')).toBe('10.00');
    expect(convert('10.00', 'text', 'number')).toBe('10');
    expect(convert('Gold', 'text', 'singleSelect', {}, { options: ['Gold'] })).toBe('Gold');
    expect(convert('one', 'longText', 'text')).toBe('one');
    expect(convert('7', 'number', 'uniqueId')).toBe('7');
  });

  it('names why a value does not fit, and never rounds, cuts or joins', () => {
    expect(convert('ten', 'text', 'number')).toBe('✗ is not a number');
    expect(convert('12.345', 'number', 'currency')).toBe('✗ has more decimal places than the 2 allowed');
    expect(convert('a\nb', 'longText', 'text')).toBe('✗ contains a control character');
    expect(convert('x'.repeat(10_001), 'longText', 'text')).toBe('✗ is longer than 10,000 characters');
    expect(convert(['A', 'B'], 'multipleSelect', 'text', { options: ['A', 'B'] })).toBe('✗ is not a text');
    expect(convert('2026-01-02T10:00:00.000Z', 'datetime', 'date')).toBe(
      '✗ is not a date in YYYY-MM-DD format',
    );
  });

  it('one option and a list of it are the same', () => {
    const options = { options: ['A', 'B'] };
    expect(convert('A', 'singleSelect', 'multipleSelect', options, options)).toEqual(['A']);
    expect(convert(['B'], 'multipleSelect', 'singleSelect', options, options)).toBe('B');
    expect(convert(['A', 'B'], 'multipleSelect', 'singleSelect', options, options)).toBe(
      '✗ is not one of: A, B',
    );
    expect(convert('C', 'singleSelect', 'multipleSelect', options, options)).toBe('✗ is not one of: A, B');
  });

  it('a day and its midnight in UTC are the same', () => {
    expect(convert('2026-01-02', 'date', 'datetime')).toBe('2026-01-02T00:00:00.000Z');
    expect(convert('2026-01-02T00:00:00.000Z', 'datetime', 'date')).toBe('2026-01-02');
  });

  it('people are their e-mails', () => {
    expect(convert('u1', 'person', 'text')).toBe('Mina@acme.test');
    expect(convert('u2', 'person', 'email')).toBe('gone@acme.test');
    expect(convert('mina@ACME.test', 'email', 'person')).toBe('u1');
    expect(convert('gone@acme.test', 'text', 'person')).toBe('✗ is not a user of this workspace');
  });

  it('a tick is the text true, and false becomes blank', () => {
    expect(convert(true, 'checkbox', 'text')).toBe('true');
    expect(convert('true', 'text', 'checkbox')).toBe(true);
    expect(convert('false', 'text', 'checkbox')).toBeUndefined();
    expect(convert('yes', 'text', 'checkbox')).toBe('✗ is not a boolean');
  });

  it('files become nothing else, and nothing becomes a file', () => {
    const files = [{ blobId: 'b', filename: 'a.txt', contentType: 'text/plain' }];
    expect(convert(files, 'file', 'text')).toBe('✗ is not a text');
    expect(convert(files, 'file', 'multipleSelect', {}, { options: ['b'] })).toBe('✗ is not one of: b');
    expect(convert('a.txt', 'text', 'file')).toBe('✗ cannot have files here');
  });
});
