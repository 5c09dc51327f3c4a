import { describeTypes } from '../../../packages/client/describe-types.js';
import { type FieldOptions, type FieldType, type User } from '../../../src/workflows/fields/field-type.js';
import { fieldTypes } from '../../../src/workflows/fields/field-types.js';
import { Invalid } from '../../../src/workflows/fields/invalid.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { UserDirectory } from '../../../src/workflows/fields/users.js';
import { readJson } from '../../../packages/exact-json/read-json.js';

const mina: User = { id: '7', email: 'Mina@acme.test', active: true };
const gone: User = { id: '8', email: 'gone@acme.test', active: false };
const people = [mina, gone];
const users = {
  ranked: [],
  find: (email: string) => people.find((user) => user.email.toLowerCase() === email.toLowerCase()),
  get: (id: string) => people.find((user) => user.id === id),
};
const asExamples = new UserDirectory([{ id: '7', email: 'mina@acme.test', active: true }]);
const plain: FieldOptions = { users };
const tiers: FieldOptions = { users, options: ['Silver', 'Gold', 'Bronze'] };

function typeNamed(name: string): FieldType {
  const type = fieldTypes.get(name);
  if (!type) throw new Error(name);
  return type;
}

/** Inputs are JSON texts, so that a number and a string can be told apart as a request spells them. */
function json(text: string): Json {
  return readJson(Buffer.from(text), { depth: 32, keys: 2000 });
}

/** What is stored and what a response then holds. */
function accept(name: string, text: string, options = plain): unknown[] {
  const stored = typeNamed(name).parse(json(text), options);
  if (stored === undefined || stored instanceof Invalid) return [stored];
  return [stored, typeNamed(name).serialize(stored, options)];
}

function refuse(name: string, text: string, options = plain): unknown {
  const stored = typeNamed(name).parse(json(text), options);
  return stored instanceof Invalid ? stored.message : stored;
}

describe('4. the types', () => {
  it('are all known to the types of the client', () => {
    const fields = [...fieldTypes.keys()].map((type) => ({ name: type, type }));
    const described = describeTypes('acme', [{ id: 'things', stages: [], fields }]);
    expect(described).toContain('"phone": string | null');
    expect(described).not.toContain('unknown');
  });

  it('accept the inputs of their examples, and show their outputs', () => {
    for (const [name, type] of fieldTypes) {
      if (type.storage === 'blobs') continue;
      const settings = (type.settings as { examples?: object[] }).examples?.[0] ?? {};
      const options: FieldOptions = { ...settings, users: asExamples };
      const stored = type.parse(json(JSON.stringify(type.example.sent)), options);
      if (stored === undefined || stored instanceof Invalid)
        throw new Error(`${name}: ${stored?.message ?? ''}`);
      expect([name, type.serialize(stored, options)]).toEqual([name, type.example.shown]);
    }
  });

  it('treat "" and white space as blank for a string, and [] as blank for an array', () => {
    for (const [name, type] of fieldTypes) {
      const isList = name === 'multipleSelect' || name === 'file';
      expect([name, type.isBlank(''), type.isBlank(' \u200b'), type.isBlank([])]).toEqual([name, !isList, !isList, isList]); // prettier-ignore
      for (const value of [' x', [''], new Map()]) expect([name, type.isBlank(value)]).toEqual([name, false]);
    }
  });
});

describe('accepted values', () => {
  it.each([
    ['text', 'a\tb'],
    ['text', ' __proto__ \u2028'],
    ['longText', 'one\r\ntwo\n\u0007\u001b'],
    ['phone', '+44 (0)20 7946-0958 ext. 12'],
    ['phone', '(555) 123.4567x8'],
    ['date', '2024-02-29'],
    ['date', '0001-01-01'],
    ['date', '9999-12-31'],
    ['uniqueId', '05'],
    ['uniqueId', 'A/B ? \u{1f600}%'],
    ['uniqueId', '\u{1f600}'.repeat(255)],
    ['email', "o'Neil+x@Sub.Example.co"],
    ['email', 'jörg@exämple.de'],
    ['url', 'HTTPS://u:p@Example.com:8080/ä?b#c'],
    ['url', 'http://[::1]/'],
  ])('%s %j, kept as sent', (name, text) => {
    expect(accept(name, JSON.stringify(text))).toEqual([text, text]);
  });

  it.each([
    ['text', '1.50', '1.50', '1.50'],
    ['number', '10.00', '10', '10'],
    ['number', '"-12.50"', '-12.5', '-12.5'],
    ['number', '-1.5E-3', '-0.0015', '-0.0015'],
    ['number', '"-0.00"', '0', '0'],
    ['number', '-0.0', '0', '0'],
    ['number', '0e99999999999', '0', '0'],
    ['number', '9007199254740993', '9007199254740993', '9007199254740993'],
    ['number', `-0.${'9'.repeat(38)}`, `-0.${'9'.repeat(38)}`, `-0.${'9'.repeat(38)}`],
    ['currency', '10000', '10000', '10000.00'],
    ['currency', '1.5000', '1.5', '1.50'],
    ['datetime', '"2024-05-01T09:30:00+02:00"', '2024-05-01T07:30:00.000Z', '2024-05-01T07:30:00.000Z'],
    ['datetime', '"0050-01-01t00:00:00.12z"', '0050-01-01T00:00:00.120Z', '0050-01-01T00:00:00.120Z'],
    ['datetime', '"2024-05-01T09:30:00.1230-00:00"', '2024-05-01T09:30:00.123Z', '2024-05-01T09:30:00.123Z'],
    ['person', '"mina@ACME.test"', '7', 'Mina@acme.test'],
    ['checkbox', 'true', true, true],
    ['checkbox', '"true"', true, true],
    ['uniqueId', '42', '42', '42'],
    ['singleSelect', '"Gold"', 'Gold', 'Gold'],
    // Stored in one order, shown in that of the definition.
    ['multipleSelect', '["Gold","Silver"]', ['Gold', 'Silver'], ['Silver', 'Gold']],
  ])('%s %s, stored as %j, shown as %j', (name, input, stored, output) => {
    expect(accept(name, input, tiers)).toEqual([stored, output]);
  });

  it('checkbox: false is not stored', () => {
    expect([accept('checkbox', 'false'), accept('checkbox', '"false"')]).toEqual([[undefined], [undefined]]);
  });
});

describe('refused values and the messages', () => {
  const one = { users, decimals: 1 };
  const notANumber = 'is not a number such as 1234.56';
  const notAPhone = 'is not a phone number such as +44 20 7946 0000';
  const tooFine = 'is finer than a millisecond: 3 digits may follow the second';
  const noSuchDay = 'is not a day of the calendar';
  const notADay = 'is not a date in YYYY-MM-DD format';
  const notAnAddress = 'is not an e-mail address';
  const notAUrl = 'is not a web address that begins with https:// or http://';
  const notAnInstant = 'is not a date and time in RFC 3339 format with an offset';
  it.each([
    ['text', 'is not a text', 'true | [] | {}'],
    ['text', 'contains a control character', String.raw`"a\nb" | "\u001b" | "\u007f" | "\u0085"`],
    ['text', 'contains a character that cannot be stored', String.raw`"a\ud800" | "\udc00\ud800"`],
    ['text', 'is longer than 10,000 characters', `"${'\u{1f600}'.repeat(10_001)}" | ${'9'.repeat(20_001)}`],
    ['longText', 'is not a text', '5'],
    ['longText', 'contains a character that cannot be stored', String.raw`"a\u0000" | "\ud800"`],
    ['longText', 'is longer than 200,000 characters', `"${'x'.repeat(200_001)}"`],
    ['number', notANumber, '"1e3" | "NaN" | "Infinity" | "007" | ".5" | "5." | "+5" | " 5" | "5 "'],
    ['number', notANumber, '"1,000" | "0x10" | "1_0" | "--1" | "-" | "١" | "1\\n" | true | [1] | {}'],
    ['number', 'has more than 38 significant digits', `${'9'.repeat(39)} | "1.${'0'.repeat(37)}1"`],
    ['number', 'has more than 38 digits on one side of the decimal point', '1e400 | 1e-400 | 1e38 | -1e-39'],
    ['currency', 'has more decimal places than the 2 allowed', '"1.005" | 0.001'],
    ['phone', notAPhone, '"call me" | "12" | "5551234 " | "12+345" | "555x" | 5551234'],
    ['date', noSuchDay, '"2024-02-30" | "2023-02-29" | "1900-02-29" | "2024-04-31"'],
    ['date', noSuchDay, '"0000-01-01" | "2024-13-01" | "2024-00-01" | "2024-01-00"'],
    ['date', notADay, '"24-1-1" | "today" | "2024-01-01\\n" | 20240101 | "-001-01-01"'],
    ['datetime', notAnInstant, '"2024-05-01" | "2024-05-01T09:30:00" | "2024-05-01T09:30Z"'],
    ['datetime', notAnInstant, '"2024-05-01T24:00:00Z" | "2024-05-01T09:60:00Z" | "2024-05-01T09:30:61Z"'],
    ['datetime', noSuchDay, '"2024-02-30T00:00:00Z"'],
    ['datetime', notAnInstant, '"2024-05-01T09:30:00+24:00"'],
    ['datetime', notAnInstant, '"2024-05-01T09:30:00+0200" | "now"'],
    ['datetime', 'is a leap second, which cannot be stored', '"2016-12-31T23:59:60Z"'],
    ['datetime', tooFine, '"2024-05-01T09:30:00.1234Z"'],
    ['datetime', 'is outside the years 0001 to 9999', '"0001-01-01T00:00:00+00:01"'],
    ['person', 'is not a user of this workspace', '"stranger@acme.test" | "gone@acme.test" | 7 | "7"'],
    ['checkbox', 'is neither true nor false', '1 | "yes" | "TRUE" | []'],
    ['uniqueId', 'is not a text or an integer', '5.0 | 5e0 | -0 | true | {"a":1}'],
    ['uniqueId', 'cannot be active', '"active"'],
    ['uniqueId', 'cannot be .', '"."'],
    ['uniqueId', 'cannot be ..', '".."'],
    ['uniqueId', 'begins or ends with white space', '" A" | "A\u00a0" | " " | "A\u200b" | "\u2060A"'],
    ['uniqueId', 'contains a control character', '"A\\tB" | "\\nA" | "A\\u0000"'],
    ['uniqueId', 'contains a character that cannot be stored', '"A\\udc00"'],
    ['uniqueId', 'is longer than 255 characters', `"${'x'.repeat(256)}"`],
    ['file', 'cannot have files here', '["x"] | ""'],
    ['email', notAnAddress, '"mina" | "a@b" | "a@b@c.de" | "a..b@c.de" | ".a@c.de" | "a.@c.de" | "@c.de"'],
    ['email', notAnAddress, '"a@-b.de" | "a@b..de" | "a@c.de\\n" | "Mina <a@c.de>" | "a@c.de, b@c.de" | 5'],
    ['url', notAUrl, '"example.com" | "/a" | "ftp://a.b" | "javascript:alert(1)" | 5'],
    ['url', notAUrl, '"http:///a" | "https:a.b" | "http://a b" | "http://" | "http://a:x"'],
    ['url', 'is longer than 2,048 characters', `"https://a.b/${'x'.repeat(2048)}"`],
  ])('%s %s', (name, message, inputs) => {
    for (const input of inputs.split(' | ')) expect([input, refuse(name, input)]).toEqual([input, message]);
  });

  it('number with decimals: zeros at the end do not count, and nothing is rounded', () => {
    expect(accept('number', '1.50', one)).toEqual(['1.5', '1.5']);
    expect(refuse('number', '1.25', one)).toBe('has more decimal places than the 1 allowed');
  });

  it('selects refuse unknown options, repeated options and values that are no array', () => {
    expect(refuse('singleSelect', '"gold"', tiers)).toBe('is not one of: Silver, Gold, Bronze');
    expect(refuse('multipleSelect', '["Gold",null]', tiers)).toBe('is not one of: Silver, Gold, Bronze');
    expect(refuse('multipleSelect', '["Gold","Gold"]', tiers)).toBe('contains an option twice');
    expect(refuse('multipleSelect', '"Gold"', tiers)).toBe('is not an array');
  });
});

describe('values that an older definition accepted', () => {
  it.each([
    ['currency', 'all its places, never rounded', '1.2345', '1.2345'],
    ['singleSelect', 'a removed option', 'Tin', 'Tin'],
    ['multipleSelect', 'removed options last', ['Gold', 'Lead', 'Silver'], ['Silver', 'Gold', 'Lead']],
    ['person', 'who left', '8', 'gone@acme.test'],
    ['person', 'nobody if the user is unknown', '9', null],
  ])('%s shows %s', (name, _, stored, shown) => {
    expect(typeNamed(name).serialize(stored, tiers)).toEqual(shown);
  });
});

describe('3. filters', () => {
  it.each([
    ['currency', '1.005', '1.005'],
    ['checkbox', 'false', undefined],
    ['person', 'GONE@acme.test', '8'],
  ])('%s=%s', (name, text, stored) => {
    expect(typeNamed(name).parseFilter(text, tiers)).toEqual(stored);
  });
});
