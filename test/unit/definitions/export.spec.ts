import { isBlankText, isTrimmed } from '../../../src/common/text.js';
import fc from 'fast-check';
import { parse } from 'yaml';
import { rules } from '../../../src/automation/rules/rules.kind.js';
import { checkDefinition } from '../../../src/workflows/definition/check/check-definition.js';
import { type WorkspaceDefinition } from '../../../src/workflows/model/definition.js';
import {
  exportDefinition,
  renderElement,
  renderYaml,
} from '../../../src/workflows/definition/source/write-yaml.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { referenceDefinition } from '../../support/reference-definition.js';

function read(text: string): WorkspaceDefinition {
  const source = readDefinition(text, 'f');
  checkDefinition(source.definition, source);
  return source.definition;
}

/** A definition as the database gives it back: documents are kept as JSON. */
function stored(definition: WorkspaceDefinition): WorkspaceDefinition {
  const { id, name = id, timezone = 'UTC' } = definition.workspace;
  return JSON.parse(JSON.stringify({ ...definition, workspace: { id, name, timezone } })) as WorkspaceDefinition; // prettier-ignore
}

describe('an exported definition', () => {
  function expectSame(document: object): void {
    const definition = stored(read(JSON.stringify(document)));
    const exported = exportDefinition(definition);
    for (const text of [renderYaml(exported), JSON.stringify(exported)])
      expect(stored(read(text))).toEqual(definition);
  }

  it('reads as the same definition, with every key', () => {
    expectSame(referenceDefinition());
  });

  it('reads as the same definition, whatever its texts, in YAML and in JSON', () => {
    fc.assert(fc.property(anyDocument, expectSame), { endOnFailure: true });
  });
});

it('a single element is written as people write it', () => {
  const [rule = {}] = read(JSON.stringify(referenceDefinition())).workflows.flatMap((one) => rules.in(one));
  const text = renderElement(rules, rule);
  expect(text).toMatch(/^on: /m);
  expect(parse(text)).toMatchObject({ on: Reflect.get(rule, 'on') as unknown });
});

// Each on its own is something else to YAML than a text, or would be if it were not quoted.
const awkward = [
  ...`yes null ~ 1 007 1e3 0x1F 12:30 2026-01-02 {a} *a | @a "a" 'a' it's a\\b : - << constructor`.split(' '),
  ...['a: b', 'a #b', 'a, b', '? a', '${a}', 'a"b\'c', 'a\ufeffb', 'a\u2028b', '👩‍👩‍👧', 'a'.repeat(100)],
];

/** One line of at most this many characters, neither empty nor with space around it. */
function anyText(most: number): fc.Arbitrary<string> {
  const free = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  const texts = fc.oneof(fc.constantFrom(...awkward), free, anyWords);
  return texts
    .map((text) =>
      text
        .replace(/[\p{Control}\p{Surrogate}]/gu, '')
        .normalize('NFC')
        .trim(),
    )
    .filter(
      (text) =>
        isTrimmed(text) && !isBlankText(text) && Array.from(text).length <= most && !/\{\{/.test(text),
    );
}

const anyWords = fc
  .array(fc.constantFrom('New', 'In', 'Review', 'of', 'Vendor'), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(' '));

/** A text with line breaks and all kinds of white space. */
const anyLines = fc
  .array(fc.oneof(anyText(100), fc.constantFrom('\n', '\r\n', '\t', ' ', '  \n', '\n ', '', '---', '\r')), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

const anyName = anyText(100).filter((name) => !/^_|^base$/.test(name));
const { anyBody } = fc.letrec<{ anyJson: unknown; anyBody: unknown }>((tie) => ({
  anyJson: fc.oneof(
    { maxDepth: 3 },
    anyLines,
    fc.constantFrom(null, true, '5', '{{Stage}}', 'yes'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('anyJson'), { maxLength: 3 }),
    tie('anyBody'),
  ),
  anyBody: fc.dictionary(fc.oneof(anyLines, fc.constantFrom('default', '__proto__')), tie('anyJson'), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
}));
const anyDocument = fc
  .record({
    id: fc.constantFrom('1', '007', 'yes', 'null', '--', '1e3', 'constructor'),
    name: anyName,
    options: fc.uniqueArray(anyName, { minLength: 1, maxLength: 3 }),
    text: anyLines,
    body: anyBody,
  })
  .map(({ id, name, options, text, body }) => {
    const fields = [
      { name: '~select', type: 'singleSelect', options, default: options[0] },
      { name: '~text', type: 'longText', default: text },
    ];
    const step = { name, type: 'api_call', url: 'https://a.test/{{Stage}}?a=b#c', body };
    const action = { id, name, requirements: { confirmation: name }, steps: [step] };
    const workflow = { id, name, stages: [{ name }], fields, actions: [action] };
    return { workspace: { id: 'acme' }, workflows: [workflow] };
  });
