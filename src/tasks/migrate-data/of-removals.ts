import { type EntityManager } from 'typeorm';
import { ChecklistItemEntity } from '../store/checklist-item.entity.js';
import { type WorkflowEntity } from '../../workflows/model/entities/workflow.entity.js';
import { type StageEntity } from '../../workflows/model/entities/stage.entity.js';
import { destinationOf } from './clear-removed.js';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import { type Effect, effectOf, findTasks } from '../../workflows/model/effect.js';
import { agree, plural } from '../../common/wording.js';

export async function impactOfRemovals(db: EntityManager, draft: ChangedDefinition): Promise<Effect[]> {
  const effects: Effect[] = [];
  const { gone } = draft.matches;
  for (const workflow of gone.workflows) effects.push(...(await impactOfWorkflow(db, workflow)));
  for (const { id, slug } of draft.rows.workflows)
    for (const stage of gone.stages.filter(({ workflowId }) => workflowId === id))
      effects.push(...(await impactOfStage(db, slug, stage, destinationOf(stage, slug, draft.merged))));
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
