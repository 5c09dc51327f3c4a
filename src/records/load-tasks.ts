import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Workflow } from '../workflows/workspace.js';
import { type ListedRow, ofWorkflow, type ReadRow, selectListed, tasksOf } from './task-row.js';

/** The tasks of these ids that are still there, in the order of the ids; the values of the later ones may be left out. */
export async function loadTasks(
  db: EntityManager,
  workflow: Workflow,
  ids: readonly string[],
  showsInstants: boolean,
): Promise<ListedRow[]> {
  const values = [workflow.workspaceId, workflow.id, ids];
  return tasksOf(
    workflow,
    await sql<ReadRow<ListedRow>>(db, showsInstants ? readWithInstants : readTasks, values),
  );
}

const rows = `
  SELECT t.*, given.place
  FROM unnest($3::bigint[]) WITH ORDINALITY given (id, place)
  JOIN tasks t ON ${ofWorkflow} AND t.id = given.id`;

const readTasks = { name: 'read-tasks', text: selectListed(rows, false) };
const readWithInstants = { name: 'read-tasks-and-instants', text: selectListed(rows, true) };
