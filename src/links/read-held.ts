import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Link } from '../schema/link.js';
import { type Workflow } from '../workflows/workspace.js';
import { type TaskPlace } from './survey-links.js';

/** The tasks that a task holds on one side of a relationship, in the order of their ids. */
export async function readHeld(
  db: EntityManager,
  { workspaceId }: Workflow,
  taskId: string,
  { relationshipId, isFrom }: Link,
): Promise<TaskPlace[]> {
  return sql<TaskPlace>(db, isFrom ? heldTo : heldFrom, [workspaceId, taskId, relationshipId]);
}

const held = (far: string, near: string): string => `
  SELECT ${far}_workflow_id AS "workflowId", ${far}_id AS id FROM links
  WHERE workspace_id = $1 AND ${near}_id = $2 AND relationship_id = $3 ORDER BY ${far}_id`;
const heldTo = { name: 'held-to', text: held('to', 'from') };
const heldFrom = { name: 'held-from', text: held('from', 'to') };
