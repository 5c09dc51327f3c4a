import { type EntityManager } from 'typeorm';
import { loadWorkspaceRows, readTable, type WorkspaceRows } from '../../model/workspace-rows.js';
import { kinds } from '../kinds.js';

/** Reads all rows of a definition. Call it in a snapshot or with the workspace locked. */
export async function loadDefinitionRows(
  db: EntityManager,
  workspaceId: number,
): Promise<WorkspaceRows | undefined> {
  const rows = await loadWorkspaceRows(db, workspaceId);
  if (!rows) return undefined;
  const further = new Map<string, object[]>();
  for (const { list, rows: table } of kinds)
    if (table && !(list in rows))
      further.set(list, await readTable(db, table.entity, { workspaceId, ...table.where }));
  return { ...rows, ...Object.fromEntries(further) };
}
