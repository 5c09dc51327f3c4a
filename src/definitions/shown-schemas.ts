import { fullSchema } from './source/json-schema.js';
import { listOf, ref, type Schemas, textSchema, type Schema } from '../openapi/vocabulary.js';

/** The definition as clients read it; what a workflow says follows from the schemas of the document that people write. */
export function shownSchemas(): Schemas {
  const document: Written = fullSchema();
  const workflow = within(document, 'workflows');
  const { properties, required } = shownMapping(workflow);
  const field = shownMapping(within(workflow, 'fields'));
  const id = textSchema('As paths and payloads name it.');
  return {
    Field: { ...field, properties: { id, ...field.properties }, required: ['id', ...field.required] },
    ActionDefinition: shownMapping(within(workflow, 'actions')),
    WorkflowDefinition: {
      description: 'What a definition file says of a workflow, with the ids of fields and the relationships.',
      type: 'object',
      properties: {
        ...properties,
        fields: listOf(ref('Field')),
        actions: listOf(ref('ActionDefinition')),
        relationships: listOf(shownMapping(within(document, 'relationships'))),
      },
      required: [...required, 'relationships'],
      additionalProperties: false,
    },
  };
}

/** A JSON Schema, as far as it is shown. */
interface Written {
  readonly $id?: string;
  readonly type?: string | readonly string[];
  readonly default?: unknown;
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

// What they say is for one apply, and is not kept.
const instructions = new Set(['was', 'removed', 'move_tasks_to']);
// The rest is for those who write: defaults are filled in, examples are for editors.
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

function shown(schema: Written): Schema {
  const { type, items, oneOf, properties, additionalProperties: others } = schema;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => facts.has(key))),
    ...(type !== undefined && { type: shownType(type) }),
    ...(items && { items: shown(items) }),
    ...(oneOf && { oneOf: oneOf.map(shown) }),
    ...(properties && shownMapping(schema)),
    ...(typeof others === 'object' && { additionalProperties: shown(others) }),
  };
}

/** What may be written as a number or as a text is kept as a text, digit by digit. */
function shownType(type: string | readonly string[]): string | string[] {
  if (typeof type === 'string') return type;
  return type.includes('string') ? type.filter((one) => one !== 'number') : [...type];
}

function shownMapping({ type = 'object', properties = {}, required = [] }: Written) {
  const kept = Object.entries(properties).filter(([key]) => !instructions.has(key));
  return {
    type: shownType(type),
    properties: Object.fromEntries(kept.map(([key, schema]) => [key, shown(schema)])),
    required: required.filter((key) => !instructions.has(key)),
    additionalProperties: false,
  };
}
