import { holding, listOf, oneOf, ref, type Schema, type Schemas, textSchema } from '../openapi/vocabulary.js';
import { fullSchema } from './source/json-schema.js';

/** The schemas of definitions and of plans, which no class describes. */
export const definitionSchemas = (): Schemas => ({ ...shownSchemas(), ...planSchemas() });

/** The schemas of plans. The values in a change may be any part of a definition. */
function planSchemas(): Schemas {
  const text = (description: string): Schema => textSchema(description);
  const count: Schema = { type: 'integer' };
  const Fault: Schema = {
    ...holding(
      {
        path: text('Such as `workflows[0].fields[3].type`; empty for the whole document.'),
        line: { ...count, description: 'The line in the body; absent if the fault is not in the body.' },
        message: text('A text that continues the path.'),
      },
      ['path', 'message'],
    ),
  };
  const Change: Schema = {
    ...holding(
      {
        kind: oneOf(['add', 'rename', 'change', 'remove'], 'What happens to the element.'),
        what: text('The kind of element, such as `field`.'),
        name: text('Its name, such as `vendors / Tier`.'),
        detail: text('Further details.'),
        alterations: listOf({ type: 'object', description: 'A difference within the element: `at`, `before`, `after`, and `relaxes` if it lets somebody do more or needs less.' }), // prettier-ignore
        relaxes: { type: 'boolean', description: 'True if somebody may do more, or less is needed.' },
      },
      ['kind', 'what', 'name'],
    ),
  };
  const Effect: Schema = holding({
    kind: oneOf(['notes', 'loses', 'blocked'], 'loses: refused without `allow-data-loss`; blocked: needs another document.'), // prettier-ignore
    what: text('As in the change.'),
    name: text('As in the change.'),
    count: { ...count, description: 'The number with which the message begins.' },
    message: text('Such as `3 values do not fit the type number`.'),
    examples: listOf({ type: 'object', description: 'Some tasks: `id`, `value`, `reason`.' }),
  });
  return {
    DefinitionDocument: { type: 'object', description: 'See `docs/definition.schema.json`.' },
    DefinitionFault: Fault,
    DefinitionChange: Change,
    DefinitionEffect: Effect,
    DefinitionPlan: holding({
      workspace: text('Its id.'),
      version: { ...count, description: 'The version that is in force.' },
      changes: listOf(ref('DefinitionChange')),
      effects: listOf(ref('DefinitionEffect')),
      kept: listOf(holding({ what: text('As in a change.'), name: text('As in a change.') })),
      rules: listOf({ type: 'object', description: 'If rules change: a rule that can start another.' }),
      circles: listOf(listOf(text('A rule of a circle of rules that can start each other.'))),
      warnings: listOf(ref('DefinitionFault')),
      refusals: listOf(text('A reason why apply would refuse it.')),
    }),
    DefinitionVersion: {
      ...holding(
        {
          version: { ...count, description: 'Its number.' },
          applied_at: { ...textSchema('When it came into force.'), format: 'date-time' },
          applied_by: text('Who applied it.'),
          changes: listOf(ref('DefinitionChange')),
        },
        ['version', 'applied_at', 'applied_by', 'changes'],
      ),
    },
    RefusedDefinition: {
      ...holding(
        {
          errors: { type: 'object', additionalProperties: listOf({ type: 'string' }) },
          faults: listOf(ref('DefinitionFault')),
          plan: ref('DefinitionPlan'),
        },
        ['errors'],
      ),
      description: 'With `faults` if the document is wrong, with `plan` if applying it would lose something.',
    },
  };
}

/** An end of a relationship; empty if the key may not see its workflow. */
const narrowedEnd: Schema = {
  type: 'object',
  properties: { workflow: { type: 'string' }, name: { type: 'string' } },
};

/** The definition as clients read it, derived from the schema of the document that people write. */
function shownSchemas(): Schemas {
  const document: Written = fullSchema();
  const workflow = within(document, 'workflows');
  const { properties, required } = shownMapping(workflow);
  const field = shownMapping(within(workflow, 'fields'));
  const id = textSchema('The id in paths and payloads.');
  return {
    Field: { ...field, properties: { id, ...field.properties }, required: ['id', ...field.required] },
    ActionDefinition: shownMapping(within(workflow, 'actions')),
    WorkflowDefinition: {
      description: 'A workflow as in a definition file, with the ids of fields and the relationships.',
      type: 'object',
      properties: {
        ...properties,
        fields: listOf(ref('Field')),
        actions: listOf(ref('ActionDefinition')),
        relationships: listOf(shownMapping(within(document, 'relationships'))),
      },
      required: [...required, 'relationships'],
    },
    NarrowedDefinition: {
      description:
        'A workflow as a restricted key sees it: without the details of actions, without rules, clocks and schedules, and without the names of workflows that the key cannot see.',
      ...holding({
        id: properties['id'] ?? {},
        name: properties['name'] ?? {},
        stages: listOf(holding({ name: textSchema('The name that people see.'), end: { type: 'boolean' } })),
        fields: listOf(ref('Field')),
        checklist: properties['checklist'] ?? {},
        actions: listOf(ref('Named')),
        relationships: listOf({
          type: 'object',
          properties: {
            id: { type: 'string' },
            kind: { type: 'string' },
            from: narrowedEnd,
            to: narrowedEnd,
          },
          required: ['id', 'kind', 'from', 'to'],
        }),
      }),
    },
  };
}

/** The parts of a JSON Schema that this file reads. */
interface Written {
  readonly $id?: string;
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Written>>;
  readonly required?: readonly string[];
  readonly items?: Written;
  readonly oneOf?: readonly Written[];
  readonly additionalProperties?: boolean | Written;
}

/** The schema of the members of a list. */
function within({ properties = {} }: Written, list: string): Written {
  return properties[list]?.items ?? {};
}

// These keys instruct one apply, and are not stored.
const instructions = new Set(['was', 'removed', 'move_tasks_to']);
// Other keywords concern writers only: defaults are filled in when a definition is read, and examples are for editors.
const facts = new Set([
  'description',
  'enum',
  'const',
  'pattern',
  'patternProperties',
  'minLength',
  'maxLength',
  'maxItems',
  'minimum',
  'exclusiveMinimum',
  'maximum',
]);

/** A schema as it is shown; a kind is a member of a union, which a constant tells from the others. */
function shown(schema: Written, isKind = false): Schema {
  const { type, items, oneOf, properties, additionalProperties: others } = schema;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => facts.has(key))),
    ...(type !== undefined && { type: shownType(type) }),
    ...(items && { items: shown(items) }),
    ...(oneOf && { oneOf: oneOf.map((kind) => shown(kind, true)) }),
    ...(properties && shownMapping(schema, isKind)),
    ...(typeof others === 'object' && { additionalProperties: shown(others) }),
  };
}

/** Elsewhere, a constant is the only value of today. */
const growing = ({ const: one, ...others }: Written): Written =>
  one === undefined ? others : { ...others, enum: [one] };

/** A value that may be written as a number or as a text is stored as a text, so that it keeps every digit. */
function shownType(type: string | readonly string[]): string | string[] {
  if (typeof type === 'string') return type;
  return type.includes('string') ? type.filter((one) => one !== 'number') : [...type];
}

function shownMapping({ type = 'object', properties = {}, required = [] }: Written, isKind = false) {
  const kept = Object.entries(properties).filter(([key]) => !instructions.has(key));
  return {
    type: shownType(type),
    properties: Object.fromEntries(
      kept.map(([key, schema]) => [key, shown(isKind ? schema : growing(schema))]),
    ),
    required: required.filter((key) => !instructions.has(key)),
  };
}
