import { hash } from 'node:crypto';
import { type FieldOptions, type FieldType } from '../fields/field-type.js';
import { fieldTypes } from '../fields/field-types.js';
import { type Link } from '../fields/task-schema.js';
import { type Pause } from '../../../packages/fair/turn.js';
import { type Workflow, type Workspace } from '../model/workspace.js';
import { builtIn, builtInPayload, instantSchemas } from './task-schemas.js';
import { holding, listOf, oneOf, ref, type Schemas, type Schema } from '../../common/openapi/vocabulary.js';

export async function taskSchemasOf(
  { workflows }: Workspace,
  workflow: Workflow,
  pause: Pause,
): Promise<Schemas> {
  const fields = fieldsOf(workflow);
  const links = linksOf(workflow, new Map([...workflows.values()].map((other) => [other.id, other])));
  const shown = { ...builtIn, ...shownFields(fields), ...linkKeys(links, 'LinkedTask') };
  const sent = {
    ...builtInPayload,
    ...sentFields(fields),
    ...linkKeys(links, 'Reference'),
  };
  return {
    Stage: oneOf(stageNames(workflow.schema), 'A stage of the workflow.'),
    ActionId: oneOf(
      workflow.actions.map(({ id }) => id),
      'An action of the workflow.',
    ),
    FieldName: oneOf(
      [...workflow.schema.files.values()].map(({ name }) => name),
      'A file field.',
    ),
    RelationshipName: oneOf(
      links.map(({ name }) => name),
      'The name that a relationship has in this workflow.',
    ),
    Task: { description: 'A task: all fields and links.', ...holding(shown) },
    ListedTask: {
      description: 'A task, or only the keys that `_fields` names.',
      ...holding({ ...shown, ...instantSchemas }, []),
    },
    ...written(workflow, fields, sent),
    ...(await linkedTasks(links, pause)),
  };
}

interface DescribedField {
  readonly name: string;
  readonly required: boolean;
  readonly hasDefault: boolean;
  readonly type: FieldType;
  readonly options: FieldOptions;
}

function fieldsOf({ fields, schema: { users } }: Workflow): DescribedField[] {
  return fields.flatMap(({ name, type: typeName, required, settings }) => {
    const type = fieldTypes.get(typeName);
    if (!type) return [];
    const hasDefault =
      settings.default !== undefined || type.numbers?.(settings) === true || type.blank === false;
    return [{ name, required, hasDefault, type, options: { ...settings, users } }];
  });
}

/** A side of a relationship, and the workflow at its other end. */
interface DescribedLink extends Link {
  readonly other: Workflow;
  /**
   * Whether the viewer knows the other workflow. If not, the viewer sees only the Unique IDs of its tasks.
   */
  readonly isKnown: boolean;
}

function linksOf({ schema }: Workflow, workflows: ReadonlyMap<number, Workflow>): DescribedLink[] {
  return [...schema.links.values()].map((link, at) => {
    const other = workflows.get(link.otherWorkflowId);
    if (!other) throw new Error('a relationship leads to no workflow');
    const isKnown = schema.byName.get(link.name)?.links?.isUnknown !== true;
    return { ...link, other: isKnown ? other : unnamed(other, at), isKnown };
  });
}

/** The workflow without its id and name, for a viewer who does not know it. */
const unnamed = (workflow: Workflow, at: number): Workflow => ({
  ...workflow,
  slug: `other-${at + 1}`,
  name: 'another workflow',
});

const shownFields = (fields: readonly DescribedField[]): Schemas =>
  Object.fromEntries(fields.map(({ name, type, options }) => [name, type.openapi(options)]));

const sentFields = (fields: readonly DescribedField[]): Schemas =>
  Object.fromEntries(fields.map(({ name, type, options }) => [name, type.openapiInput(options)]));

/** The schemas of relationships by name: linked tasks in answers, or references in payloads. */
const linkKeys = (links: readonly DescribedLink[], kind: 'LinkedTask' | 'Reference'): Schemas =>
  Object.fromEntries(links.map((link) => [link.name, valueOf(link, ref(schemaOf(kind, link.other)))]));

/**
 * The name of the schema for linked tasks of a workflow, or for references to them. Client generators accept
 * only letters, digits and `_`. If the id has other characters than small letters, digits and `-`, the name
 * ends with a hash. Without the hash, two workflows could get the same name.
 */
function schemaOf(kind: 'LinkedTask' | 'Reference', { slug }: Workflow): string {
  const name = `${kind}_${slug.replaceAll('-', '_')}`;
  return /^[a-z0-9-]+$/.test(slug) ? name : `${name}_${hash('sha256', slug).slice(0, 8)}`;
}

function valueOf({ isMultiple }: Link, schema: Schema): Schema {
  return isMultiple ? listOf(schema) : { anyOf: [schema, { type: 'null' }] };
}

/** The bodies of POST and PUT. POST creates a task, or updates the task that has the sent Unique ID. */
function written(
  { schema: { uniqueId } }: Workflow,
  fields: readonly DescribedField[],
  sent: Schemas,
): Schemas {
  const needed = fields.filter(({ required, hasDefault }) => required && !hasDefault).map(({ name }) => name);
  const payload = (description: string, required: readonly string[]): Schema => ({
    description,
    ...holding(sent, required),
    additionalProperties: false,
  });
  const NewTask = payload('A task to create.', needed);
  if (!uniqueId) return { NewTask, UpsertTask: ref('NewTask') };
  return {
    NewTask,
    UpsertTask: { anyOf: [ref('NewTask'), ref('TaskUpdate')] },
    TaskUpdate: payload('The Unique ID, and the keys to change.', [uniqueId.name]),
  };
}

async function linkedTasks(links: readonly DescribedLink[], pause: Pause): Promise<Schemas> {
  const others = new Map(links.map(({ other, isKnown }) => [other, isKnown]));
  const schemas: [string, Schema][] = [];
  for (const [other, isKnown] of others) {
    await pause();
    const fields = fieldsOf(other);
    const shown = isKnown
      ? { ...builtIn, Stage: stageOf(other), ...shownFields(fields) }
      : shownFields(fields.filter(({ name }) => name === other.schema.uniqueId?.name));
    schemas.push(
      [schemaOf('LinkedTask', other), { description: `A task of ${other.name}.`, ...holding(shown) }],
      [schemaOf('Reference', other), referenceTo(other)],
    );
  }
  const linked = [...others.keys()].map((other) => ref(schemaOf('LinkedTask', other)));
  return {
    ...Object.fromEntries(schemas),
    ...(linked.length > 0 && { LinkedTask: linked.length === 1 ? linked[0] : { anyOf: linked } }),
  };
}

const stageOf = ({ name, schema }: Workflow): Schema => oneOf(stageNames(schema), `A stage of ${name}.`);

const stageNames = ({ stages }: Workflow['schema']): string[] => stages.all.map(({ name }) => name);

function referenceTo({ name, schema: { uniqueId } }: Workflow): Schema {
  const key = uniqueId?.name ?? '';
  return {
    description: `Names a task of ${name}; other properties are ignored.`,
    type: 'object',
    properties: { [key]: { type: ['string', 'integer'] } },
    required: [key],
  };
}
