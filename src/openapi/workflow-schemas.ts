import { type Schema } from '../lib/described.js';
import { type FieldEntity } from '../entities/field.entity.js';
import { type FieldOptions, type FieldType } from '../schema/field-type.js';
import { fieldTypes } from '../schema/field-types.js';
import { type Link } from '../schema/task-schema.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { builtIn, builtInPayload, instants } from './components.js';
import { rulesOf } from './field-rules.js';
import { closed, listOf, loose, oneOf, ref, type Schemas } from './vocabulary.js';

/** The schemas that this workflow's fields, links, stages and actions make of those of any workflow. */
export function taskSchemasOf(workspace: Workspace, workflow: Workflow): Schemas {
  const fields = fieldsOf(workspace, workflow);
  const links = [...workflow.schema.links.values()];
  const shown = { ...builtIn, ...shownFields(fields), ...shownLinks(workspace, links) };
  const sent = {
    ...builtInPayload,
    ...sentStage(workflow),
    ...sentFields(fields),
    ...sentLinks(workspace, links),
  };
  return {
    Stage: oneOf(
      workflow.schema.stages.all.map(({ name }) => name),
      'A stage of the workflow.',
    ),
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
      'A relationship on this side.',
    ),
    Task: { description: 'A task: all fields and links.', ...closed(shown) },
    ListedTask: {
      description: 'A task, or the keys of it that `_fields` names.',
      ...loose({ ...shown, ...instants }),
    },
    ...written(workflow, fields, sent),
    ...linkedTasks(workspace, links),
  };
}

/** Which stages a payload may only repeat; nothing where it may name all. */
function sentStage({ schema: { stages } }: Workflow): Schemas {
  const barred = stages.all.filter(({ enter }) => enter === 'by_actions').map(({ name }) => name);
  if (barred.length === 0) return {};
  const description = `Entered by actions only, so no payload moves a task there: ${barred.join(', ')}.`;
  return { Stage: { allOf: [ref('Stage')], description } };
}

interface DescribedField {
  readonly name: string;
  readonly required: boolean;
  readonly hasDefault: boolean;
  readonly type: FieldType;
  readonly options: FieldOptions;
}

function fieldsOf({ rows, users }: Workspace, { id }: Workflow): DescribedField[] {
  const own = rows.fields.filter(({ workflowId }) => workflowId === id);
  return own.flatMap(({ name, type: typeName, required, settings }: FieldEntity) => {
    const type = fieldTypes.get(typeName);
    if (!type) return [];
    const hasDefault =
      settings.default !== undefined || type.numbers?.(settings) === true || type.blank === false;
    return [{ name, required, hasDefault, type, options: { ...settings, users } }];
  });
}

const shownFields = (fields: readonly DescribedField[]): Schemas =>
  Object.fromEntries(fields.map(({ name, type, options }) => [name, type.openapi(options)]));

const sentFields = (fields: readonly DescribedField[]): Schemas =>
  Object.fromEntries(
    fields.map(({ name, type, options }) => [name, { ...type.openapiInput(options), ...rulesOf(options) }]),
  );

function shownLinks(workspace: Workspace, links: readonly Link[]): Schemas {
  return byLink(links, (link) => valueOf(link, ref(`LinkedTask_${otherOf(workspace, link).slug}`)));
}

function sentLinks(workspace: Workspace, links: readonly Link[]): Schemas {
  return byLink(links, (link) => valueOf(link, ref(`Reference_${otherOf(workspace, link).slug}`)));
}

function byLink(links: readonly Link[], schemaOf: (link: Link) => Schema): Schemas {
  return Object.fromEntries(links.map((link) => [link.name, schemaOf(link)]));
}

function valueOf({ isMultiple }: Link, schema: Schema): Schema {
  return isMultiple ? listOf(schema) : { anyOf: [schema, { type: 'null' }] };
}

/** What a POST and a PUT may send: a POST creates, or updates what its Unique ID names. */
function written(
  { schema: { uniqueId } }: Workflow,
  fields: readonly DescribedField[],
  sent: Schemas,
): Schemas {
  const needed = fields.filter(({ required, hasDefault }) => required && !hasDefault).map(({ name }) => name);
  const created = { NewTask: { description: 'A task to create.', ...loose(sent), required: needed } };
  if (!uniqueId) return { ...created, UpsertTask: ref('NewTask') };
  return {
    ...created,
    UpsertTask: { anyOf: [ref('NewTask'), ref('TaskUpdate')] },
    TaskUpdate: {
      description: 'The Unique ID and what is to change.',
      ...loose(sent),
      required: [uniqueId.name],
    },
  };
}

/** What the tasks at the other ends look like, and how they are referred to. */
function linkedTasks(workspace: Workspace, links: readonly Link[]): Schemas {
  const others = new Set(links.map((link) => otherOf(workspace, link)));
  const schemas = [...others].flatMap((other): [string, Schema][] => {
    const shown = { ...builtIn, Stage: stageOf(other), ...shownFields(fieldsOf(workspace, other)) };
    return [
      [`LinkedTask_${other.slug}`, { description: `A task of ${other.name}.`, ...closed(shown) }],
      [`Reference_${other.slug}`, referenceTo(other)],
    ];
  });
  const linked = [...others].map(({ slug }) => ref(`LinkedTask_${slug}`));
  const [first, ...more] = linked;
  return {
    ...Object.fromEntries(schemas),
    ...(first && { LinkedTask: more.length > 0 ? { anyOf: linked } : first }),
  };
}

function stageOf({ name, schema }: Workflow): Schema {
  return oneOf(
    schema.stages.all.map((stage) => stage.name),
    `A stage of ${name}.`,
  );
}

function referenceTo({ name, schema: { uniqueId } }: Workflow): Schema {
  const key = uniqueId?.name ?? '';
  return {
    description: `Names a task of ${name}; other properties are ignored.`,
    type: 'object',
    properties: { [key]: { type: ['string', 'integer'] } },
    required: [key],
  };
}

function otherOf({ workflows }: Workspace, { otherWorkflowId }: Link): Workflow {
  const other = [...workflows.values()].find(({ id }) => id === otherWorkflowId);
  if (!other) throw new Error('a relationship leads to no workflow');
  return other;
}
