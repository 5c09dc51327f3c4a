import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { checkDefinition } from '../../../../src/workflows/definition/check/check-definition.js';
import { DefinitionFaults } from '../../../../src/workflows/definition/source/faults.js';
import { mergeDefinitions } from '../../../../src/workflows/definition/merge/merge-definitions.js';
import { readDefinition, readStored } from '../../../../src/workflows/definition/source/read-definition.js';

const onboarding = readFileSync(new URL('../../../fixtures/onboarding.yaml', import.meta.url), 'utf8');

describe('readDefinition', () => {
  it('fills in every list and default', () => {
    const text = `
workspace: { id: acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: w
    name: W
    stages: [{ name: A }]
    fields: [{ name: F, type: text }]
    roles: [{ id: r, name: R }]
    actions: [{ id: a, name: A }]
`;
    const { definition, faults } = readDefinition(text, 'f');
    expect(faults).toEqual([]);
    expect(definition).toMatchObject({
      users: [{ email: 'mina@acme.test', first_name: null, last_name: null, active: true }],
      ...{ relationships: [], webhooks: [], channels: [], calendars: [], views: [] },
    });
    expect(definition.workflows).toEqual([
      {
        ...{
          id: 'w',
          name: 'W',
          checklist: [],
          members: [],
          forms: [],
          rules: [],
          clocks: [],
          schedules: [],
        },
        stages: [{ name: 'A', initial: false, end: false, enter: 'freely' }],
        fields: [{ name: 'F', type: 'text', required: false, editable: true }],
        roles: [
          {
            ...{ id: 'r', name: 'R', admin: false, actions: [], sees: 'all', edits: 'all' },
            ...{ creates: true, moves: 'any_stage', deletes: false },
          },
        ],
        actions: [{ id: 'a', name: 'A', stages: [], requirements: {}, steps: [] }],
      },
    ]);
  });

  it('reads JSON as well as YAML', () => {
    const json = JSON.stringify(parse(onboarding), null, '\t');
    expect(readDefinition(json, 'f')).toEqual(readDefinition(onboarding, 'f'));
  });

  it('keeps the digits of numbers, and dates as texts', () => {
    const field = (value: string): unknown =>
      readDefinition(
        `{ workspace: { id: a }, workflows: [{ id: w, name: W, fields: [{ name: F, type: number, default: ${value} }] }] }`,
        'f',
      ).definition.workflows[0]?.fields[0]?.default;
    expect(field('12.50')).toBe('12.50');
    expect(field('0.1234567890123456789012345678901')).toBe('0.1234567890123456789012345678901');
    expect(field('[1.0, a]')).toEqual(['1.0', 'a']);
    expect(field('2024-02-29')).toBe('2024-02-29');
    expect(field('true')).toBe(true);
  });

  it('keeps names such as __proto__ as keys of their own', () => {
    const text =
      'workspace: { id: a }\nworkflows: [{ id: w, name: W, actions: [{ id: x, name: X, steps: [{ name: S, type: update_fields, set: { __proto__: a, constructor: b } }] }] }]';
    const step = readDefinition(text, 'f').definition.workflows[0]?.actions[0]?.steps[0];
    const set: unknown = step && 'set' in step && step.set;
    expect(JSON.stringify(set)).toBe('{"__proto__":"a","constructor":"b"}');
  });

  it.each([
    ['an open bracket', 'a: [', 'f:1: Flow sequence in block collection must be sufficiently indented'],
    ['two documents', 'a: 1\n---\nb: 2', 'f:2: begins a second document, but a file can hold only one'],
    ['YAML 1.1', '%YAML 1.1\n---\na: yes', 'f:1: is not YAML 1.2'],
    ['brackets without end', '['.repeat(100_000), 'f:1: is nested too deeply'],
    ['mappings without end', `\n${'{"a":'.repeat(100_000)}`, 'f:2: is nested too deeply'],
    ['a book', 'a'.repeat(4_000_001), 'f:1: is longer than 4,000,000 characters'],
  ])('throws for %s', (_, text, message) => {
    expect(() => readDefinition(text, 'f')).toThrow(DefinitionFaults);
    expect(() => readDefinition(text, 'f')).toThrow(message);
  });
});

it('a document on one line may have any length', () => {
  const fields = Array.from({ length: 300 }, (_, n) => `{"name": "F${n}", "type": "text"}`).join(', ');
  const text = `{"workspace": {"id": "a"}, "workflows": [{"id": "w", "name": "W", "fields": [${fields}]}]}`;
  expect(readDefinition(text, 'f').definition.workflows[0]?.fields).toHaveLength(300);
});

describe('nothing but DefinitionFaults is ever thrown', () => {
  it('for any text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ...'[]{}:,-?&*!|>%@"\'#\n \t0',
        ...['- ', ': ', '\n  ', '&a ', '*a', '<<', '---\n', 'null', '0x', '!!str ', 'workspace: '],
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        judge(pieces.join(''));
      }),
    );
  });

  it('for any document that is made from a definition', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.jsonValue(), fc.boolean(), (spot, value, isJson) => {
        const document: unknown = parse(onboarding);
        replaceAt(document, spot, value);
        judge(isJson ? JSON.stringify(document) : stringify(document));
      }),
    );
  });

  function judge(text: string): void {
    try {
      const source = readDefinition(text, 'f');
      checkDefinition(mergeDefinitions(undefined, source.definition), source);
    } catch (error) {
      expect(error).toBeInstanceOf(DefinitionFaults);
    }
  }

  /** Puts the value at the place that is met after so many steps through the document. */
  function replaceAt(document: unknown, spot: number, value: unknown): void {
    const holders: [object, string][] = [];
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [key, child] of Object.entries(node)) {
        holders.push([node, key]);
        visit(child);
      }
    };
    visit(document);
    const [holder, key] = holders[spot % holders.length] ?? [{}, ''];
    Object.assign(holder, { [key]: value });
  }
});

describe('readStored', () => {
  it('reads stored definitions of any length', () => {
    const workflow = { id: 'w', name: 'x'.repeat(4_000_001), stages: [], fields: [] };
    const actions = [{ id: 'a', stages: [] }];
    const kept = { workspace: { id: 'acme' }, users: [], workflows: [{ ...workflow, actions }] };
    const { definition, faults } = readStored(kept, 'version 1');
    expect([faults, definition.relationships]).toEqual([[], []]);
    expect(definition.workflows[0]?.name).toHaveLength(4_000_001);
  });
});
