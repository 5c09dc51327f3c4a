import { type EntityManager } from 'typeorm';
import { ChecklistItemEntity } from '../store/checklist-item.entity.js';
import { type FieldEntity } from '../../workflows/model/entities/field.entity.js';
import { type WorkflowEntity } from '../../workflows/model/entities/workflow.entity.js';
import { fieldTypes, storageOf } from '../../workflows/fields/field-types.js';
import { type Stored } from '../../workflows/fields/field-type.js';
import { type StageEntity } from '../../workflows/model/entities/stage.entity.js';
import { destinationOf } from './clear-removed.js';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import { type Effect, effectOf, findTasks } from '../../workflows/model/effect.js';
import { agree, plural } from '../../common/wording.js';
import { usersAfter } from '../../workflows/model/changed-fields.js';

export async function impactOfRemovals(db: EntityManager, draft: ChangedDefinition): Promise<Effect[]> {
  const effects: Effect[] = [];
  const { gone } = draft.matches;
  for (const workflow of gone.workflows) effects.push(...(await impactOfWorkflow(db, workflow)));
  for (const { id, slug } of draft.rows.workflows) {
    for (const stage of gone.stages.filter(({ workflowId }) => workflowId === id))
      effects.push(...(await impactOfStage(db, slug, stage, destinationOf(stage, slug, draft.merged))));
    for (const field of gone.fields.filter(({ workflowId }) => workflowId === id))
      effects.push(...(await impactOfField(db, slug, field, draft)));
  }
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
  target: string | undefined,
): Promise<Effect[]> {
  const { workspaceId, workflowId, id } = stage;
  const tasks = await findTasks(db, 'stage_id = $3', [workspaceId, workflowId, id]);
  const items = await db.countBy(ChecklistItemEntity, { workspaceId, workflowId, stageId: id });
  const name = `${workflow} / ${stage.name}`;
  const [held, listed] = [plural(tasks.count, 'task'), plural(items, 'checklist item')];
  if (target !== undefined) {
    const move = (count: number): string => `${agree(count, 'moves', 'move')} to ${target}`;
    return [
      ...effectOf('notes', 'stage', name, tasks.count, `${held} ${move(tasks.count)}`),
      ...effectOf('notes', 'stage', name, items, `${listed} ${move(items)}`),
    ];
  }
  const where = `say where to: { name: ${stage.name}, removed: true, move_tasks_to: <stage> }`;
  const standing = `${held} ${agree(tasks.count, 'stands', 'stand')} in it; ${where}`;
  const standingItems = `${listed} of tasks ${agree(items, 'stands', 'stand')} on it; or ${where}`;
  return [
    ...effectOf('blocked', 'stage', name, tasks.count, standing, tasks.examples),
    ...effectOf('loses', 'stage', name, items, standingItems),
  ];
}

async function impactOfField(
  db: EntityManager,
  workflow: string,
  field: FieldEntity,
  draft: ChangedDefinition,
): Promise<Effect[]> {
  const isUniqueId = storageOf(field.type) === 'column';
  const { count, examples } = await findTasks(
    db,
    isUniqueId ? 'unique_value IS NOT NULL' : 'field_values ? $3',
    [field.workspaceId, field.workflowId, ...(isUniqueId ? [] : [field.id])],
    isUniqueId ? 'to_jsonb(unique_value)' : 'field_values -> $3',
  );
  const users = usersAfter(draft);
  const shown = (value: unknown): unknown =>
    // The column holds values in the form in which the type stores them.
    fieldTypes.get(field.type)?.serialize(value as Stored, { ...field.settings, users });
  const named = examples.map(({ id, value }) => ({ id, value: shown(value) }));
  const holds = `${plural(count, 'task')} ${agree(count, 'holds', 'hold')} a value, which is deleted for good`;
  return effectOf('loses', 'field', `${workflow} / ${field.name}`, count, holds, named);
}
