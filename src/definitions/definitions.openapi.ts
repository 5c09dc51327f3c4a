import { ShownKey, Whoami, WhoamiController } from '../auth/whoami.controller.js';
import { IntrospectionController } from './definitions.controller.js';
import {
  closed,
  empty,
  loose,
  oneOf,
  json,
  parameters,
  listOf,
  ref,
  type Schema,
  type Schemas,
  textSchema,
} from '../openapi/vocabulary.js';
import { describe, type OperationGroup, type Operation } from '../openapi/operation.js';
import { WorkflowDocumentController } from '../docs/docs.controller.js';
import {
  ChangeQuery,
  HistoryQuery,
  Named,
  NamedRole,
  Participant,
  RollbackQuery,
  StageName,
} from './definition.dto.js';
import { WholeDefinitionController } from './whole-definition.controller.js';
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
      { anyOf: [ref('WorkflowDefinition'), ref('NarrowedDefinition')] },
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
  describe(WholeDefinitionController, group, {
    read: {
      id: 'readDefinition',
      summary: 'Read the whole definition',
      description: 'As `wts export` prints it, for a key of scope `admin`: YAML where `Accept` prefers it.',
      parameters: [parameters.ifNoneMatch],
      answers: {
        200: {
          ...json('As it is in force.', 'DefinitionDocument', ['ETag', 'Vary']),
          content: contentOfDocument,
        },
        304: empty('The client has it.', ['ETag', 'Vary']),
      },
      refusals: ['403'],
    },
    history: {
      id: 'listDefinitionVersions',
      summary: 'List the versions of the definition',
      description: 'Newest first, 20 at most: `before` the last of them leads on. What `wts history` shows.',
      query: HistoryQuery,
      answers: { 200: json('Some versions.', listOf(ref('DefinitionVersion'))) },
      refusals: ['403'],
    },
    plan: {
      ...changing,
      id: 'planDefinition',
      summary: 'Plan a definition',
      description:
        'What applying it would do, and to how many tasks, as `wts plan` tells. It writes nothing.',
      answers: { 200: json('The plan.', 'DefinitionPlan', ['ETag']), 422: refusedDefinition },
    },
    apply: {
      ...changing,
      id: 'applyDefinition',
      summary: 'Apply a definition',
      description:
        'All of it, in one transaction, or nothing: what `wts apply` does. New indexes are filled behind it.',
      answers: {
        200: json('What was done; `version` is in force now.', 'DefinitionPlan', ['ETag']),
        422: refusedDefinition,
      },
    },
    rollback: {
      id: 'rollbackDefinition',
      summary: 'Make the definition what it was by a version',
      description:
        'What `wts rollback` does, as a new version: what was renamed since is renamed back, what was added is removed.',
      query: RollbackQuery,
      parameters: [parameters.ifMatchDefinition, parameters.idempotencyKey],
      answers: {
        200: json('What was done, or by `dry_run` would be.', 'DefinitionPlan', ['ETag']),
        422: refusedDefinition,
      },
      refusals: ['409', '412'],
    },
  });
  return {
    ...group,
    models: [Whoami, ShownKey, Named, StageName, NamedRole, Participant],
    schemas: { ...shownSchemas(), ...planSchemas() },
  };
}

const contentOfDocument = {
  'application/json': { schema: ref('DefinitionDocument') },
  'application/yaml': { schema: textSchema('The same in YAML 1.2.') },
};

const refusedDefinition = json('Refused: nothing was changed.', 'RefusedDefinition', ['Connection']);

const changing = {
  query: ChangeQuery,
  parameters: [parameters.ifMatchDefinition, parameters.idempotencyKey],
  body: {
    type: 'application/json',
    schema: ref('DefinitionDocument'),
    others: { 'application/yaml': textSchema('The same in YAML 1.2, of at most 200,000 characters.') },
  },
  refusals: ['409', '412', '413', '415'],
} as const;

/** The schemas of plans. The values in a change may be any part of a definition. */
function planSchemas(): Schemas {
  const text = (description: string): Schema => textSchema(description);
  const count: Schema = { type: 'integer' };
  const Fault: Schema = {
    ...loose({
      path: text('Such as `workflows[0].fields[3].type`; empty where it is the whole.'),
      line: { ...count, description: 'In the body; absent for what is only in force.' },
      message: text('Reads after the path.'),
    }),
    required: ['path', 'message'],
  };
  const Change: Schema = {
    ...loose({
      kind: oneOf(['add', 'rename', 'change', 'remove'], 'What happens to it.'),
      what: text('Such as `field`.'),
      name: text('Such as `vendors / Tier`.'),
      detail: text('What more there is to say.'),
      alterations: listOf({ type: 'object', description: 'What differs within it: `at`, `before`, `after`, `relaxes`.' }), // prettier-ignore
    }),
    required: ['kind', 'what', 'name'],
  };
  const Effect: Schema = closed({
    kind: oneOf(['notes', 'loses', 'blocked'], 'What `loses` is refused without `allow-data-loss`; what is `blocked` needs another document.'), // prettier-ignore
    what: text('That of the change.'),
    name: text('That of the change.'),
    count: { ...count, description: 'How many of what the message begins with.' },
    message: text('Such as `3 values do not fit the type number`.'),
    examples: listOf({ type: 'object', description: 'Some tasks: `id`, `value`, `reason`.' }),
  });
  return {
    DefinitionDocument: { type: 'object', description: 'What `docs/definition.schema.json` describes.' },
    DefinitionFault: Fault,
    DefinitionChange: Change,
    DefinitionEffect: Effect,
    DefinitionPlan: closed({
      workspace: text('Its id.'),
      version: { ...count, description: 'The version that is in force.' },
      changes: listOf(ref('DefinitionChange')),
      effects: listOf(ref('DefinitionEffect')),
      kept: listOf(closed({ what: text('That of a change.'), name: text('That of a change.') })),
      rules: listOf({ type: 'object', description: 'Where rules change: which may start which.' }),
      circles: listOf(listOf(text('Rules that may start each other.'))),
      warnings: listOf(ref('DefinitionFault')),
      refusals: listOf(text('Why apply would refuse it.')),
    }),
    DefinitionVersion: {
      ...loose({
        version: { ...count, description: 'Its number.' },
        applied_at: { ...textSchema('Since when it was in force.'), format: 'date-time' },
        applied_by: text('Who has applied it.'),
        changes: listOf(ref('DefinitionChange')),
      }),
      required: ['version', 'applied_at', 'applied_by', 'changes'],
    },
    RefusedDefinition: {
      ...loose({
        errors: { type: 'object', additionalProperties: listOf({ type: 'string' }) },
        faults: listOf(ref('DefinitionFault')),
        plan: ref('DefinitionPlan'),
      }),
      required: ['errors'],
      description:
        'With `faults` where the document is wrong, with `plan` where applying it would lose something.',
    },
  };
}

/** An end of a relationship. `workflow` is present only if the key may see that workflow. */
const narrowedEnd: Schema = {
  type: 'object',
  properties: { workflow: { type: 'string' }, name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
};

/** The definition as clients read it, derived from the schema of the document that people write. */
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
    NarrowedDefinition: {
      description:
        'What a narrowed key reads of a workflow: not how its actions work, no rules, clocks and schedules, and no name of a workflow that it does not know.',
      ...closed({
        id: properties['id'] ?? {},
        name: properties['name'] ?? {},
        stages: listOf(closed({ name: textSchema('As people see it.'), end: { type: 'boolean' } })),
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
          additionalProperties: false,
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

/** A value that may be written as a number or as a text is stored as a text, so that it keeps every digit. */
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
