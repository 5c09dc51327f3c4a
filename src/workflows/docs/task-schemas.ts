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
  'Task URL': textSchema('The address of the task for people.'),
};

/** The keys that a list shows only if `_fields` asks for them. */
export const instantSchemas: Schemas = {
  _created: maybeInstant('When the task was created; only if `_fields` names it.'),
  _updated: maybeInstant('When it was last changed; only if `_fields` names it.'),
  _version: textSchema('Its `ETag`, for `If-Match`; only if `_fields` names it.'),
  _due: maybeInstant('The earliest deadline of its running and overdue clocks; only if `_fields` names it.'),
};

export const builtInPayload: Readonly<Record<BuiltIn, Schema>> = {
  Stage: ref('Stage'),
  'Assigned To': maybeText('The e-mail of an active user, in any case; null unassigns.'),
  'Task URL': textSchema('Ignored, so that an answer can be sent back.'),
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

/** Tasks of any workflow; a workflow's own document lists their keys. */
export const taskSchemas: Schemas = {
  Stage: textSchema('The name of a stage of the workflow.'),
  ActionId: textSchema('The id of an action of the workflow.'),
  FieldValue: {
    description: 'The value of a field in its canonical form: a number is a text, blank is null.',
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
    description: 'One of: an attachment to keep, one with its bytes, one to download.',
    anyOf: [ref('KeptAttachment'), ref('SentAttachment'), ref('RemoteAttachment')],
  },
  OpenApi: { type: 'object', description: 'A document of OpenAPI 3.1.', additionalProperties: true },
  DefinitionDocument: { type: 'object', description: 'See `docs/definition.schema.json`.' },
  WorkflowDefinition: {
    type: 'object',
    description:
      'As in a definition, with the ids of fields and the relationships; narrowed keys see a part.',
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
    description: 'With the settings of its type.',
    additionalProperties: true,
  },
  Task: { description: 'A task: all fields and links.', ...shown(Object.keys(builtIn), 'TaskValue') },
  ListedTask: {
    description: 'A task, or the keys of it that `_fields` names.',
    ...shown([], 'TaskValue', instantSchemas),
  },
  LinkedTask: {
    description:
      'A task at the other end of a relationship, without its own links; only its Unique ID if the key cannot see its workflow.',
    ...shown([], 'FieldValue'),
  },
  UpsertTask: {
    description: 'A task to create, or to update if one has its Unique ID.',
    ...sent,
    // From the workflow `vendors` of the demo workspace.
    examples: [{ 'Vendor ID': 'V-100', 'Vendor Name': 'Acme', Stage: 'New' }],
  },
  TaskUpdate: { description: 'The Unique ID, and the keys to change.', ...sent },
};

/** An attachment is sent back as it was shown, and a form names its file freely. */
export const openBodies: ReadonlySet<string> = new Set([
  'KeptAttachment',
  'SentAttachment',
  'RemoteAttachment',
  'Upload',
]);

/** The forms of refusals (docs/reference/api.md, Errors). */
export const errorModels = [Problem, RefusedFields, RefusedStart];
