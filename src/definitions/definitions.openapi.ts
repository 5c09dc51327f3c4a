import { ShownKey, Whoami, WhoamiController } from '../auth/whoami.controller.js';
import { IntrospectionController } from './definitions.controller.js';
import {
  empty,
  json,
  parameters,
  listOf,
  ref,
  type Schema,
  type Schemas,
  textSchema,
} from '../openapi/vocabulary.js';
import { describe, type OperationGroup, type Operation } from '../openapi/operation.js';
import { WorkflowDocumentController } from '../openapi/docs.controller.js';
import { Named, NamedRole, Participant, StageName } from './definition.dto.js';
import { fullSchema } from './source/json-schema.js';

const group: OperationGroup = { name: 'Definition', description: 'The definition of the workspace.' };

const read = (id: string, summary: string, schema: Schema, description: string): Operation => ({
  id,
  summary,
  description,
  parameters: [parameters.ifNoneMatch],
  answers: { 200: json('As it is in force.', schema, ['ETag']), 304: empty('The client has it.', ['ETag']) },
});

export function describeDefinition(): OperationGroup {
  describe(WorkflowDocumentController, group, {
    read: read(
      'readWorkflowOpenApi',
      'Read the description of this workflow’s interface',
      ref('OpenApi'),
      'OpenAPI 3.1 with the fields, options, stages, links and actions of this workflow, for generators of clients.',
    ),
  });
  describe(WhoamiController, group, {
    whoami: {
      id: 'whoami',
      summary: 'Read what the key is and may do',
      description: 'The key of the request, and what it is narrowed to.',
      answers: { 200: json('The key.', ref('Whoami')) },
    },
  });
  describe(IntrospectionController, group, {
    workspace: read('readWorkspace', 'Read the workspace', ref('Named'), 'The workspace of the key.'),
    workflows: read(
      'listWorkflows',
      'List the workflows',
      listOf(ref('Named')),
      'The ids stand in all other paths.',
    ),
    workflow: read(
      'readWorkflow',
      'Read the whole definition of a workflow',
      ref('WorkflowDefinition'),
      'As a definition file has it, with the ids of the fields and the relationships of the workflow.',
    ),
    stages: read(
      'listStages',
      'List the stages',
      listOf(ref('StageName')),
      'In the order of the definition. New tasks enter the first, unless the definition names another.',
    ),
    fields: read(
      'listFields',
      'List the fields',
      listOf(ref('Field')),
      'In the order of the definition, each with the settings of its type.',
    ),
    roles: read(
      'listRoles',
      'List the roles',
      listOf(ref('Role')),
      'Who has an `admin` role may do everything in the workflow.',
    ),
    users: read(
      'listUsers',
      'List who works in the workflow',
      listOf(ref('User')),
      'The active members; where the workflow defines no roles, all active users of the workspace.',
    ),
    user: read('readUser', 'Read one of them', ref('User'), 'One of those who work in the workflow, by id.'),
  });
  return {
    ...group,
    models: [Whoami, ShownKey, Named, StageName, NamedRole, Participant],
    schemas: shownSchemas(),
  };
}

/** The definition as clients read it; what a workflow says follows from the schemas of the document that people write. */
function shownSchemas(): Schemas {
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
