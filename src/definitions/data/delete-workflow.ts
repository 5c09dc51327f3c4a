import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import { type OnProgress } from './draft.js';
import { releaseAllFiles } from './release-files.js';
import { inStretches, type TaskPlace } from './task-place.js';

/** Deletes a workflow that no relationship joins any more, with all its tasks and what hangs on them. */
export async function deleteWorkflow(
  db: EntityManager,
  place: TaskPlace,
  onProgress?: OnProgress,
): Promise<void> {
  await releaseAllFiles(db, place);
  await inStretches(db, place, deleteTasks, [], { task: 'deleting tasks', onProgress });
  const ofWorkflow = [place.workspaceId, place.workflowId];
  for (const table of tables)
    await sql(db, { text: `DELETE FROM ${table} WHERE workspace_id = $1 AND workflow_id = $2` }, ofWorkflow);
  await sql(db, { text: 'DELETE FROM workflows WHERE workspace_id = $1 AND id = $2' }, ofWorkflow);
}

// What refers to others goes before them.
const tables = [
  'executions',
  'members',
  'roles',
  'actions',
  'checklist_template_items',
  'fields',
  'stages',
  'unique_id_counters',
];

// Checklists, comments and links go with their tasks.
const deleteTasks = 'DELETE FROM tasks WHERE workspace_id = $1 AND workflow_id = $2 AND id > $3 AND id <= $4';
