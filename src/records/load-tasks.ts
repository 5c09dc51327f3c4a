import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../database/sql.js';
import { type Workflow } from '../workflows/workspace.js';
import { type ListedRow, ofWorkflow, type ReadRow, selectListed, type Shown, tasksOf } from './task-row.js';

/** The tasks of these ids that are still there, in the order of the ids; the values of the later ones may be left out. */
export async function loadTasks(
  db: EntityManager,
  workflow: Workflow,
  ids: readonly string[],
  shown: Shown,
): Promise<ListedRow[]> {
  const values = [workflow.workspaceId, workflow.id, ids];
  return tasksOf(workflow, await sql<ReadRow<ListedRow>>(db, statementOf(selectListed(rows, shown)), values));
}

const rows = `
  SELECT t.*, given.place
  FROM unnest($3::bigint[]) WITH ORDINALITY given (id, place)
  JOIN tasks t ON ${ofWorkflow} AND t.id = given.id`;
