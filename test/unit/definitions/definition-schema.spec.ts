import { Ajv2020 } from 'ajv/dist/2020.js';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { checkDefinition } from '../../../src/workflows/definition/check/check-definition.js';
import { requirementTypes } from '../../../src/actions/requirement-types.js';
import { stepTypes } from '../../../src/actions/step-types.js';
import { publishedSchema } from '../../../src/workflows/definition/source/json-schema.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { fieldTypes } from '../../../src/workflows/fields/field-types.js';
import { renderReference } from '../../../tools/definition-reference.js';
import { referenceDefinition } from '../../support/reference-definition.js';
import { faultsOf, storedAs } from './checked.js';

const root = resolve(import.meta.dirname, '../../..');

interface Schema {
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const schema = JSON.parse(readFileSync(join(root, 'docs/definition.schema.json'), 'utf8')) as Schema;
// As an editor reads it: without the options that the service adds.
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);

/** The members of a list of the schema. */
function at(...lists: readonly string[]): Schema {
  return lists.reduce((one, list) => one.properties?.[list]?.items ?? {}, schema);
}

function examples(): string[] {
  const folder = join(root, 'docs/examples');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file));
}

/** Every property of the schema, wherever it stands. */
function properties(value: unknown, path = ''): [string, Schema][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => [
    ...(key === 'properties' && !/\/dependentSchemas\b/.test(path)
      ? Object.entries(inner as Record<string, Schema | true>).filter((entry): entry is [string, Schema] => entry[1] !== true).map(([name, property]): [string, Schema] => [`${path}.${name}`, property]) // prettier-ignore
      : []),
    ...properties(inner, `${path}/${key}`),
  ]);
}

describe('the reference of definitions', () => {
  const page = readFileSync(join(root, 'docs/reference/definition.md'), 'utf8');

  it('lists every key, those of mappings within rules and steps included', () => {
    const told = new Set(page.match(/(?<=^\| `)[^`]+(?=` \|)|(?<=^#.*: `)\w+/gm));
    const missing = properties(schema).map(([path]) => path.split('.').at(-1) ?? '').filter((key) => !told.has(key)); // prettier-ignore
    expect([...new Set(missing)]).toEqual([]);
  });

  it('describes the allowed values, not the refusals', () => {
    expect(page).not.toMatch(/which is (?:not|neither)/);
    expect(page).toMatch(
      /\| `change` \| What payloads and people.*\| `by_actions` or a list of texts, 1 to 500 of them \|/,
    );
    expect(page).toMatch(/\| `at` \| For a date.*\| a text, a time of day such as 17:00 \|/);
  });

  it('is up to date: npm run definition-schema writes it', () => {
    expect(page).toBe(renderReference());
  });

  it('has an example of everything, and all examples together are one definition', () => {
    const whole = readDefinition(JSON.stringify(referenceDefinition()), 'reference');
    expect(() => {
      checkDefinition(whole.definition, whole, true);
    }).not.toThrow();
    expect(whole.definition.workflows[0]?.fields.length).toBe(fieldTypes.size);
    expect(whole.definition.workflows[0]?.actions[0]?.steps.length).toBe(stepTypes.size);
  });
});

describe('the published schema of definitions', () => {
  it('describes every property', () => {
    const all = properties(schema);
    expect(all.length).toBeGreaterThan(80);
    const bare = all.filter(([, { title, description }]) => !title || !description);
    expect(bare.map(([path]) => path)).toEqual([]);
  });

  it('has every type of step, requirement and field', () => {
    const step = at('workflows', 'actions', 'steps');
    expect(step.oneOf?.map(({ properties }) => properties?.['type']?.const)).toEqual([...stepTypes.keys()]);
    expect(Object.keys(at('workflows', 'actions').properties?.['requirements']?.properties ?? {})).toEqual([...requirementTypes.keys()]); // prettier-ignore
    expect(at('workflows', 'fields').properties?.['type']?.enum).toEqual([...fieldTypes.keys()]);
  });

  it('is up to date: npm run definition-schema writes it', () => {
    expect(schema).toEqual(JSON.parse(JSON.stringify(publishedSchema())));
  });

  const onboarding = readFileSync(join(root, 'docs/examples/onboarding.yaml'), 'utf8');

  it.each(examples())('accepts %s, which has no fault and names the schema for editors', (file) => {
    const text = readFileSync(file, 'utf8');
    validate(parse(text));
    expect(validate.errors).toBeNull();
    // One of them adds to the workspace of another.
    expect(faultsOf(text, { stored: storedAs(onboarding) })).toEqual([]);
    const [, place = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
    expect(existsSync(join(dirname(file), place))).toBe(true);
  });

  const ofField = (field: string): string => `workflows: [{ id: a, name: A, fields: [${field}] }]`;
  const ofStep = (step: string): string =>
    `workflows: [{ id: a, name: A, actions: [{ id: a, name: A, steps: [${step}] }] }]`;

  it.each([
    ['nothing', 'workspace: null'],
    ['an unknown key', 'colour: red'],
    ['half a decimal place', ofField('{ name: A, type: number, decimals: 0.5 }')],
    ['yes for true', ofField('{ name: A, type: text, required: "yes" }')],
    ['an unknown type of step', ofStep('{ name: A, type: explode }')],
    ['a step without what it needs', ofStep('{ name: A, type: move_to_stage }')],
    ['a step with what another has', ofStep('{ name: A, type: delete_task, stage: B }')],
    ['a relationship with one end', 'relationships: [{ id: a, kind: one_to_one, from: { workflow: a, name: A } }]'], // prettier-ignore
  ])('refuses %s', (_, text) => {
    const good = { workspace: { id: 'acme' } };
    expect(validate(good)).toBe(true);
    expect(validate({ ...good, ...(parse(text) as object) })).toBe(false);
  });
});
