import { type BuiltIn } from '../fields/properties/built-ins.js';
import { Problem, RefusedFields, RefusedStart } from '../../common/ops/problem.js';
import {
  holding,
  listOf,
  maybeInstant,
  maybeText,
  ref,
  type Schemas,
  textSchema,
  type Schema,
} from '../../common/openapi/vocabulary.js';

export const builtIn: Readonly<Record<BuiltIn, Schema>> = {
  Stage: ref('Stage'),
  'Assigned To': { description: 'The e-mail of a user, or null.', type: ['string', 'null'] },
  'Task URL': textSchema('The address at which people see the task.'),
};

/** The keys that a list shows only if `_fields` names them. */
export const instantSchemas: Schemas = {
  _created: maybeInstant('When the task was created; only if `_fields` names it.'),
  _updated: maybeInstant('When the task was last changed; only if `_fields` names it.'),
  _version: textSchema('The `ETag` of the task, for `If-Match`; only if `_fields` names it.'),
  _due: maybeInstant('The earliest deadline of the running and overdue clocks; only if `_fields` names it.'),
};

export const builtInPayload: Readonly<Record<BuiltIn, Schema>> = {
  Stage: ref('Stage'),
  'Assigned To': maybeText('The e-mail of an active user, in upper or lower case; null unassigns.'),
  'Task URL': textSchema('Ignored, so that a client can send a task back unchanged.'),
};

const shown = (required: readonly string[], values: string, more: Schemas = {}): Schema => ({
  type: 'object',
  properties: { ...builtIn, ...more },
  required: [...required],
  additionalProperties: ref(values),
});

const sent: Schema = {
  type: 'object',
  properties: { ...builtInPayload },
  additionalProperties: ref('PayloadValue'),
};

/** The schemas for tasks of any workflow. The document of one workflow lists the keys of its tasks. */
export const taskSchemas: Schemas = {
  Stage: textSchema('The name of a stage of the workflow.'),
  ActionId: textSchema('The id of an action of the workflow.'),
  FieldValue: {
    description:
      'The value of a field. Numbers are sent as texts. A blank value is null, false or an empty list.',
    anyOf: [{ type: ['string', 'boolean', 'null'] }, listOf({ type: 'string' }), listOf(ref('Attachment'))],
  },
  TaskValue: {
    description: 'The value of a field, or the task or tasks under the name of a relationship.',
    anyOf: [ref('FieldValue'), ref('LinkedTask'), listOf(ref('LinkedTask'))],
  },
  PayloadValue: {
    description: 'A value of the type of the field, or the complete set of links of a relationship.',
    anyOf: [
      { type: ['string', 'number', 'boolean', 'null'] },
      { type: 'object', additionalProperties: true },
      listOf({
        anyOf: [{ type: 'string' }, ref('NewAttachment'), { type: 'object', additionalProperties: true }],
      }),
    ],
  },
  NewAttachment: {
    description: 'An attachment to keep, a new attachment with its bytes, or the address of a new one.',
    anyOf: [ref('KeptAttachment'), ref('SentAttachment'), ref('RemoteAttachment')],
  },
  OpenApi: { type: 'object', description: 'A document of OpenAPI 3.1.', additionalProperties: true },
  DefinitionDocument: { type: 'object', description: 'See `docs/definition.schema.json`.' },
  WorkflowDefinition: {
    type: 'object',
    description:
      'A workflow as in a definition, with its relationships and field ids. Narrowed keys see only a part.',
    additionalProperties: true,
  },
  Field: {
    ...holding({
      id: textSchema('The id in events and files.'),
      name: textSchema('The key in payloads and answers.'),
      type: { type: 'string' },
      required: { type: 'boolean' },
      editable: { type: 'boolean' },
    }),
    description: 'A field, with the settings of its type.',
    additionalProperties: true,
  },
  Task: { description: 'A task: all fields and links.', ...shown(Object.keys(builtIn), 'TaskValue') },
  ListedTask: {
    description: 'A task, or only the keys that `_fields` names.',
    ...shown([], 'TaskValue', instantSchemas),
  },
  LinkedTask: {
    description:
      'A task at the other end of a relationship, without its own links; only its Unique ID if the API key cannot see its workflow.',
    ...shown([], 'FieldValue'),
  },
  UpsertTask: {
    description: 'A task to create, or to update if a task has this Unique ID.',
    ...sent,
    // This example fits the workflow `vendors` of the demo workspace.
    examples: [{ 'Vendor ID': 'V-100', 'Vendor Name': 'Acme', Stage: 'New' }],
  },
  TaskUpdate: { description: 'The Unique ID, and the keys to change.', ...sent },
};

/** Schemas of attachments in payloads and of uploads. In these bodies, the service ignores unknown keys. */
export const openBodies: ReadonlySet<string> = new Set([
  'KeptAttachment',
  'SentAttachment',
  'RemoteAttachment',
  'Upload',
]);

/** The schemas of error bodies (docs/reference/api.md, Answers and refusals). */
export const errorModels = [Problem, RefusedFields, RefusedStart];
