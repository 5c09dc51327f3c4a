import { type EntityManager } from 'typeorm';
import { announceChange } from '../database/announcements.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { UserDirectory } from '../schema/user-directory.js';
import { findChangedFields } from './data/changed-fields.js';
import { clearGone, deleteLinks } from './data/clear-gone.js';
import { convertValues } from './data/convert-values.js';
import { type Draft, type OnProgress } from './data/draft.js';
import { removeGone } from './data/remove-gone.js';
import { movedRelationships } from './data/survey-relationships.js';
import { recordVersion } from './history.js';
import { moveTasks } from './move-tasks.js';
import { storeDefinition } from './store-definition.js';
import { storedDefinition } from './stored-definition.js';
import { loadWorkspaceRows, type WorkspaceRows } from './workspace-rows.js';

/** Makes the database what the draft says, with all data that has a place in it, and puts that into force. */
export async function carryOut(
  db: EntityManager,
  draft: Draft,
  { author, onProgress }: { readonly author: string; readonly onProgress?: OnProgress | undefined },
): Promise<void> {
  const { rows, stored, merged, changes, gone } = draft;
  const { id: workspaceId, version } = rows.workspace;
  const unlinked = [...movedRelationships(rows, merged), ...gone.relationships.map(({ id }) => id)];
  await deleteLinks(db, workspaceId, unlinked);
  await storeDefinition(db, rows, stored, merged);
  await moveData(db, draft, await rowsOf(db, workspaceId), onProgress);
  await moveTasks(db, rows, merged);
  await removeGone(db, gone, onProgress);
  await db.increment(WorkspaceEntity, { id: workspaceId }, 'version', 1);
  const definition = storedDefinition(await rowsOf(db, workspaceId));
  await recordVersion(db, { workspaceId, version: version + 1, author, changes, definition });
  await announceChange(db, { workspaceId });
}

/** Takes the data of what is changed or gone to where the stored definition has a place for it. */
async function moveData(
  db: EntityManager,
  { rows, merged, gone }: Draft,
  { users, stages }: WorkspaceRows,
  onProgress?: OnProgress,
): Promise<void> {
  for (const within of gone.within) {
    const { id } = within.workflow;
    const goneStages = new Set(within.stages.map(({ stage }) => stage.id));
    const staying = stages.filter((stage) => stage.workflowId === id && !goneStages.has(stage.id));
    await clearGone(db, within, staying, onProgress);
  }
  const directory = new UserDirectory(users);
  for (const { workflow, fields } of findChangedFields(rows, merged)) {
    const place = { workspaceId: workflow.workspaceId, workflowId: workflow.id };
    await convertValues(db, place, fields, directory, onProgress);
  }
}

async function rowsOf(db: EntityManager, workspaceId: number): Promise<WorkspaceRows> {
  const rows = await loadWorkspaceRows(db, workspaceId);
  if (!rows) throw new Error('a locked workspace is gone');
  return rows;
}
