import { type Impact } from '../../workflows/model/impact.js';
import { beginIndexes, fillIndexes } from '../store/index-fields.js';
import { clearRemoved, deleteTasksOf, updateCopies } from './clear-removed.js';
import { impactOfFields } from './of-fields.js';
import { impactOfRemovals } from './of-removals.js';

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
