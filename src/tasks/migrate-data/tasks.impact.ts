import { type EntityManager, In } from 'typeorm';
import { agree, plural } from '../../common/wording.js';
import { UserDirectory } from '../../workflows/fields/users.js';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import { findChangedFields } from '../../workflows/model/changed-fields.js';
import { type Effect, effectOf } from '../../workflows/model/effect.js';
import { StageEntity } from '../../workflows/model/entities/stage.entity.js';
import { type AppliedDefinition, type Impact } from '../../workflows/model/impact.js';
import { leavingUsers, leftBehind } from './leaving-users.js';
import { type StageDefinition } from '../../workflows/model/stage-definition.js';
import { beginIndexes, fillIndexes } from '../store/index-fields.js';
import { TaskEntity } from '../store/task.entity.js';
import { clearRemoved, deleteTasksOf, updateCopies } from './clear-removed.js';
import { convertValues } from './convert-values.js';
import { impactOfFields } from './of-fields.js';
import { impactOfRemovals } from './of-removals.js';

export const tasksImpact: Impact = {
  effects: async (db, changed) => [
    ...(await impactOfUsers(db, changed)),
    ...(await impactOfStages(db, changed)),
    ...(await impactOfRemovals(db, changed)),
    ...(await impactOfFields(db, changed)),
  ],
  async move(tx, applied) {
    for (const workflow of applied.rows.workflows)
      if (applied.matches.gone.workflows.includes(workflow)) await deleteTasksOf(tx, workflow);
      else await clearRemoved(tx, workflow, applied);
    await convertChanged(tx, applied);
    await updateCopies(tx, applied);
  },
  async settle(tx, { workspaceId, after, rows }) {
    await beginIndexes(tx, workspaceId, after, rows.fields);
  },
  finish: fillIndexes,
};

async function impactOfUsers(db: EntityManager, changed: ChangedDefinition): Promise<Effect[]> {
  const { workspace, workflows } = changed.rows;
  const place = { workspaceId: workspace.id, workflowId: In(workflows.map(({ id }) => id)) };
  const effects: Effect[] = [];
  for (const user of leavingUsers(changed)) {
    const tasks = await db.countBy(TaskEntity, { ...place, assigneeId: user.id, isActive: true });
    effects.push(
      ...leftBehind(user, tasks, 'open task', ['stays assigned to them', 'stay assigned to them']),
    );
  }
  return effects;
}

async function impactOfStages(
  db: EntityManager,
  { rows, merged, matches }: ChangedDefinition,
): Promise<Effect[]> {
  const effects: Effect[] = [];
  for (const { id, slug } of rows.workflows) {
    const elements = merged.workflows.find((workflow) => workflow.id === slug)?.stages ?? [];
    for (const element of elements) {
      const stage = matches.rowOf(StageEntity, element);
      const becomes = stage ? becoming(stage, element) : [];
      if (!stage || becomes.length === 0) continue;
      const inStage = { workspaceId: stage.workspaceId, workflowId: id, stageId: stage.id };
      const count = await db.countBy(TaskEntity, inStage);
      for (const state of becomes) {
        const message = `${plural(count, 'task')} ${agree(count, 'is', 'are')} ${state}`;
        effects.push(...effectOf('notes', 'stage', `${slug} / ${element.name}`, count, message));
      }
    }
  }
  return effects;
}

function becoming({ isEnd, settings }: StageEntity, { end, change }: StageDefinition): string[] {
  const isLocking = change !== undefined && settings['change'] === undefined;
  const open = Array.isArray(change) ? `, except ${change.join(', ')}` : '';
  return [
    ...(isEnd === end ? [] : [end ? 'no longer active' : 'active again']),
    ...(isLocking ? [`locked at once: only actions change them${open}`] : []),
  ];
}

async function convertChanged(tx: EntityManager, applied: AppliedDefinition): Promise<void> {
  const directory = new UserDirectory(applied.after.users);
  for (const { workflow, fields } of findChangedFields(applied)) {
    const place = { workspaceId: workflow.workspaceId, workflowId: workflow.id };
    await convertValues(tx, place, fields, directory);
  }
}
