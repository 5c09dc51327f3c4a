import { type BuiltIn } from '../schema/properties/built-ins.js';
import { Problem, RefusedFields, RefusedStart } from '../ops/problem.js';
import {
  listOf,
  maybeInstant,
  maybeText,
  oneOf,
  ref,
  type Schemas,
  textSchema,
  type Schema,
} from './vocabulary.js';

/** The keys that every task has. */
export const builtIn: Readonly<Record<BuiltIn, Schema>> = {
  Stage: ref('Stage'),
  'Assigned To': { description: 'The e-mail of a user, or null.', type: ['string', 'null'] },
  'Task URL': textSchema('Where people find the task.'),
};

/** The keys that a list shows only if `_fields` asks for them. */
export const instantSchemas: Schemas = {
  _created: maybeInstant('When the task was created; only where `_fields` names it.'),
  _updated: maybeInstant('When it was last changed; only where `_fields` names it.'),
  _version: textSchema('Its `ETag`, for `If-Match`; only where `_fields` names it.'),
  _due: maybeInstant(
    'The earliest end of its clocks that run or are overdue; only where `_fields` names it.',
  ),
};

/** The built-in keys that a payload may send. */
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
  Stage: oneOf([], 'The name of a stage of the workflow.'),
  FieldName: oneOf([], 'The name of a file field.'),
  RelationshipName: oneOf([], 'The name of a relationship on the side of this workflow.'),
  FieldValue: {
    description: 'The value of a field in its canonical form: a number is a text, blank is null.',
    anyOf: [{ type: ['string', 'boolean', 'null'] }, listOf({ type: 'string' }), listOf(ref('Attachment'))],
  },
  TaskValue: {
    description: 'The value of a field, or the task or tasks under the name of a relationship.',
    anyOf: [ref('FieldValue'), ref('LinkedTask'), listOf(ref('LinkedTask'))],
  },
  PayloadValue: {
    description: 'What the type of the field takes, or the complete set of links of a relationship.',
    anyOf: [
      { type: ['string', 'number', 'boolean', 'null'] },
      { type: 'object', additionalProperties: true },
      listOf({
        anyOf: [{ type: 'string' }, ref('NewAttachment'), { type: 'object', additionalProperties: true }],
      }),
    ],
  },
  Task: { description: 'A task: all fields and links.', ...shown(Object.keys(builtIn), 'TaskValue') },
  ListedTask: {
    description: 'A task, or the keys of it that `_fields` names.',
    ...shown([], 'TaskValue', instantSchemas),
  },
  LinkedTask: {
    description:
      'A task at the other end of a relationship: all but its own links; its Unique ID alone where the key does not know its workflow.',
    ...shown([], 'FieldValue'),
  },
  UpsertTask: {
    description: 'A task to create, or to update where its Unique ID names one.',
    ...sent,
    // From the workflow `vendors` of the demo workspace.
    examples: [{ 'Vendor ID': 'V-100', 'Vendor Name': 'Acme', Stage: 'New' }],
  },
  TaskUpdate: { description: 'The Unique ID and what is to change.', ...sent },
};

/** The forms of refusals (docs/reference/api.md, Errors). */
export const errorModels = [Problem, RefusedFields, RefusedStart];
