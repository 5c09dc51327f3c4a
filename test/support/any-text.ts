import fc from 'fast-check';
import { type JsonMapping, type JsonValue } from '../../src/workspace/definition-reader.js';

// Texts that a definition may contain, including some with a special meaning in YAML, JSON, JavaScript or templates.

const awkward = [
  'yes',
  'No',
  'on',
  'null',
  '~',
  'true',
  '1',
  '007',
  '1e3',
  '0x1F',
  '1_000',
  '12:30',
  '.inf',
  '2026-01-02',
  '- a',
  'a: b',
  'a:',
  'a #b',
  '#a',
  '{a}',
  '[a',
  'a, b',
  '*a',
  '&a',
  '!a',
  '|',
  '>',
  '%a',
  '@a',
  '`a`',
  '"a"',
  "'a'",
  "it's",
  'a\\b',
  '\\',
  '?',
  '? a',
  ':',
  '-',
  '---',
  '...',
  '<<',
  'constructor',
  'toString',
  '${a}',
  'a"b\'c',
  'a\u00a0b',
  'a\ufeffb',
  'a\u2028b',
  '👩‍👩‍👧',
  'é',
  'e\u0301',
  'a'.repeat(100),
  'base2',
  'Stage 2',
];

/** One line of at most this many characters, neither empty nor with space around it. */
export function anyText(most: number): fc.Arbitrary<string> {
  const free = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  const texts = fc.oneof(fc.constantFrom(...awkward), free, anyWords);
  return texts
    .map((text) => text.replace(/[\p{Control}\p{Surrogate}]/gu, '').trim())
    .filter((text) => text !== '' && Array.from(text).length <= most && !/\{\{/.test(text));
}

const anyWords = fc
  .array(fc.constantFrom('New', 'In', 'Review', 'of', 'Vendor'), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(' '));

/** A text with line breaks and all kinds of white space. */
export const anyLines = fc
  .array(fc.oneof(anyText(100), fc.constantFrom('\n', '\r\n', '\t', ' ', '  \n', '\n ', '', '---', '\r')), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

const reserved = new Set(['Stage', 'Assigned To', 'Task URL', 'base']);

/** A name for a field, a stage or anything else. */
export const anyName = anyText(100).filter(
  (name) => !reserved.has(name.normalize('NFC')) && !/^[_~]/.test(name),
);

/** Distinct names. */
export function anyNames(least: number, most: number): fc.Arbitrary<string[]> {
  return fc.uniqueArray(anyName, {
    minLength: least,
    maxLength: most,
    selector: (name) => name.normalize('NFC'),
  });
}

export const anyId = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/),
  fc.constantFrom('1', '007', 'yes', 'null', '-', '--', '1e3', 'a', '__proto__', 'constructor'),
);

/** Some of these, in any order. */
export function some<T>(items: readonly T[], least = 0): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items], { minLength: least });
}

type Parts = Record<string, fc.Arbitrary<JsonValue>>;

/** A mapping of all the first entries and some of the others. */
export function sparse(always: Parts, sometimes: Parts): fc.Arbitrary<JsonMapping> {
  return fc
    .record({ ...always, ...sometimes }, { requiredKeys: Object.keys(always) })
    .map((entries) => ({ ...entries }));
}
