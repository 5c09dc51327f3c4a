import {
  holding,
  listOf,
  ref,
  type Schema,
  type Schemas,
  textSchema,
} from '../../common/openapi/vocabulary.js';
import { fullSchema, type WrittenSchema } from '../definition/source/json-schema.js';

/** An end of a relationship; empty if the key may not see its workflow. */
const narrowedEnd: Schema = {
  type: 'object',
  properties: { workflow: { type: 'string' }, name: { type: 'string' } },
};

/** The definition as clients read it, derived from the schema of the document that people write. */
export function definitionSchemas(): Schemas {
  const document: WrittenSchema = fullSchema();
  const workflow = within(document, 'workflows');
  const { properties, required } = shownMapping(workflow);
  const field = shownMapping(within(workflow, 'fields'));
  const id = textSchema('The id in paths and payloads.');
  return {
    DefinitionDocument: { type: 'object', description: 'See `docs/definition.schema.json`.' },
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

function within({ properties = {} }: WrittenSchema, list: string): WrittenSchema {
  return properties[list]?.items ?? {};
}

// Keys that apply to one apply only, and are not stored.
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

/** A schema as the API shows it. With `isKind` it is one member of a union, identified by a constant. */
function shown(schema: WrittenSchema, isKind = false): Schema {
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

/** A constant outside a union is described as one of several values, because others may be added later. */
const growing = ({ const: one, ...others }: WrittenSchema): WrittenSchema =>
  one === undefined ? others : { ...others, enum: [one] };

/** A value that may be written as a number or as a text is stored as a text, so that it keeps every digit. */
function shownType(type: string | readonly string[]): string | string[] {
  if (typeof type === 'string') return type;
  return type.includes('string') ? type.filter((one) => one !== 'number') : [...type];
}

function shownMapping({ type = 'object', properties = {}, required = [] }: WrittenSchema, isKind = false) {
  const kept = Object.entries(properties).filter(([key]) => !instructions.has(key));
  return {
    type: shownType(type),
    properties: Object.fromEntries(
      kept.map(([key, schema]) => [key, shown(isKind ? schema : growing(schema))]),
    ),
    required: required.filter((key) => !instructions.has(key)),
  };
}
