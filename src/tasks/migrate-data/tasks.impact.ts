import { type Impact } from '../../workflows/model/impact.js';
import { beginIndexes, fillIndexes } from '../store/index-fields.js';
import { clearRemoved, deleteTasksOf, updateCopies, destinationOf } from './clear-removed.js';
import { type EntityManager } from 'typeorm';
import { ChecklistItemEntity } from '../store/checklist-item.entity.js';
import { type WorkflowEntity } from '../../workflows/model/entities/workflow.entity.js';
import { type StageEntity } from '../../workflows/model/entities/stage.entity.js';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import { type Effect, effectOf, findTasks, type EffectExample } from '../../workflows/model/effect.js';
import { type WorkspaceDefinition } from '../../workflows/model/definition.js';
import { agree, plural } from '../../common/wording.js';
import { type Stored, type Users } from '../../workflows/fields/field-type.js';
import { fieldTypes, storageOf } from '../../workflows/fields/field-types.js';
import { UserDirectory } from '../../workflows/fields/users.js';
import { FieldEntity } from '../../workflows/model/entities/field.entity.js';
import { UserEntity } from '../../workflows/model/entities/user.entity.js';

export const tasksImpact: Impact = {
  effects: async (db, changed) => [
    ...(await impactOfRemovals(db, changed)),
    ...(await impactOfFields(db, changed)),
  ],
  async move(tx, applied) {
    for (const workflow of applied.rows.workflows)
      if (applied.matches.gone.workflows.includes(workflow)) await deleteTasksOf(tx, workflow);
      else await clearRemoved(tx, workflow, applied);
    await updateCopies(tx, applied);
  },
  async settle(tx, { workspaceId, after, rows }) {
    await beginIndexes(tx, workspaceId, after, rows.fields);
  },
  finish: fillIndexes,
};

async function impactOfRemovals(db: EntityManager, draft: ChangedDefinition): Promise<Effect[]> {
  const effects: Effect[] = [];
  const { gone } = draft.matches;
  for (const workflow of gone.workflows) effects.push(...(await impactOfWorkflow(db, workflow)));
  for (const { id, slug } of draft.rows.workflows)
    for (const stage of gone.stages.filter(({ workflowId }) => workflowId === id))
      effects.push(...(await impactOfStage(db, slug, stage, draft.merged)));
  return effects;
}

async function impactOfWorkflow(
  db: EntityManager,
  { workspaceId, id, slug }: WorkflowEntity,
): Promise<Effect[]> {
  const tasks = await findTasks(db, 'true', [workspaceId, id]);
  const held = `it holds ${plural(tasks.count, 'task')}`;
  return effectOf('loses', 'workflow', slug, tasks.count, held, tasks.examples);
}

async function impactOfStage(
  db: EntityManager,
  workflow: string,
  stage: StageEntity,
  merged: WorkspaceDefinition,
): Promise<Effect[]> {
  const { workspaceId, workflowId, id } = stage;
  const tasks = await findTasks(db, 'stage_id = $3', [workspaceId, workflowId, id]);
  const items = await db.countBy(ChecklistItemEntity, { workspaceId, workflowId, stageId: id });
  const name = `${workflow} / ${stage.name}`;
  const [held, listed] = [plural(tasks.count, 'task'), plural(items, 'checklist item')];
  const target = destinationOf(stage, workflow, merged);
  if (target !== undefined) {
    const { stages = [] } = merged.workflows.find(({ id }) => id === workflow) ?? {};
    const { enter, end = false } = stages.find(({ name }) => name === target) ?? {};
    const warning = end || enter === 'by_actions' ? ' ⚠ without checks by the actions that lead there' : '';
    const move = (count: number): string => `${agree(count, 'moves', 'move')} to ${target}`;
    return [
      ...effectOf('notes', 'stage', name, tasks.count, `${held} ${move(tasks.count)}${warning}`),
      ...effectOf('notes', 'stage', name, items, `${listed} ${move(items)}`),
    ];
  }
  const where = `to move them, write { name: ${stage.name}, removed: true, move_tasks_to: <stage> }`;
  const standing = `${held} ${agree(tasks.count, 'is', 'are')} in it; ${where}`;
  const standingItems = `${listed} of tasks ${agree(items, 'belongs', 'belong')} to it and would be lost; ${where}`;
  return [
    ...effectOf('blocked', 'stage', name, tasks.count, standing, tasks.examples),
    ...effectOf('loses', 'stage', name, items, standingItems),
  ];
}

/** Counts the values of removed fields, and of fields whose new type cannot store them. */
async function impactOfFields(db: EntityManager, draft: ChangedDefinition): Promise<Effect[]> {
  const effects: Effect[] = [];
  const users = usersAfter(draft);
  for (const { id, slug } of draft.rows.workflows) {
    for (const field of draft.matches.gone.fields.filter(({ workflowId }) => workflowId === id))
      effects.push(...(await impactOfRemoval(db, slug, field, users)));
    for (const wanted of draft.merged.workflows.find((workflow) => workflow.id === slug)?.fields ?? []) {
      const field = draft.matches.rowOf(FieldEntity, wanted);
      if (field && !takes(wanted.type, field.type))
        effects.push(...(await impactOfType(db, `${slug} / ${wanted.name}`, field, wanted.type, users)));
    }
  }
  return effects;
}

/** Returns the users after the change. New users have no id yet, so each gets a unique placeholder. */
function usersAfter({ merged, matches }: ChangedDefinition): Users {
  return new UserDirectory(
    merged.users.map((user) => ({ ...user, id: matches.rowOf(UserEntity, user)?.id ?? `new ${user.email}` })),
  );
}

const texts = ['text', 'longText'];

/** Maps a type to the other types that can store its values unchanged. */
const wider: Readonly<Record<string, readonly string[]>> = {
  text: ['longText'],
  number: texts,
  currency: ['number'],
  phone: texts,
  email: texts,
  url: texts,
  date: texts,
  datetime: texts,
  singleSelect: texts,
};

const takes = (type: string, former: string): boolean =>
  type === former || wider[former]?.includes(type) === true;

async function impactOfRemoval(
  db: EntityManager,
  workflow: string,
  field: FieldEntity,
  users: Users,
): Promise<Effect[]> {
  const { count, examples } = await findValues(db, field, users);
  const holds = `${plural(count, 'task')} ${agree(count, 'holds', 'hold')} a value, which is deleted for good`;
  return effectOf('loses', 'field', `${workflow} / ${field.name}`, count, holds, examples);
}

async function impactOfType(
  db: EntityManager,
  name: string,
  field: FieldEntity,
  type: string,
  users: Users,
): Promise<Effect[]> {
  const { count, examples } = await findValues(db, field, users);
  const holds = `${plural(count, 'task')} ${agree(count, 'holds', 'hold')} a value of type ${field.type}`;
  const message = `${holds}, which cannot become ${type}: add a new field`;
  return effectOf('blocked', 'field', name, count, message, examples);
}

/** Counts the tasks with a value in the field, and returns examples with the serialized value. */
async function findValues(
  db: EntityManager,
  { workspaceId, workflowId, id, type, settings }: FieldEntity,
  users: Users,
): Promise<{ count: number; examples: EffectExample[] }> {
  const place = [workspaceId, workflowId];
  const { count, examples } =
    storageOf(type) === 'column'
      ? await findTasks(db, 'unique_value IS NOT NULL', place, 'to_jsonb(unique_value)')
      : await findTasks(db, 'field_values ? $3', [...place, id], 'field_values -> $3');
  const shown = (value: unknown): unknown =>
    // The value comes from the database in the stored form of the field type.
    fieldTypes.get(type)?.serialize(value as Stored, { ...settings, users });
  return { count, examples: examples.map(({ id, value }) => ({ id, value: shown(value) })) };
}
