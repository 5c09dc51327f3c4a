import { type EntityManager } from 'typeorm';
import { type WorkflowDefinition, type WorkspaceDefinition } from './definition.js';
import { storedDefinition } from './stored-definition.js';
import { type WorkspaceRows } from './workspace-rows.js';

/** Brings up to date what the stored tasks repeat of the definition, after that was stored. */
export async function moveTasks(
  db: EntityManager,
  rows: WorkspaceRows,
  merged: WorkspaceDefinition,
): Promise<void> {
  const stored = storedDefinition(rows).workflows;
  for (const { id, slug, workspaceId } of rows.workflows) {
    const before = stored.find((workflow) => workflow.id === slug);
    const after = merged.workflows.find((workflow) => workflow.id === slug);
    if (!before || !after) continue;
    if (endsOf(before) !== endsOf(after)) await db.query(updateActive, [workspaceId, id]);
    if (counts(after) && !counts(before)) await db.query(startCounter, [workspaceId, id]);
  }
}

const updateActive = `
  UPDATE tasks t SET is_active = NOT s.is_end FROM stages s
  WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND s.workspace_id = $1 AND s.workflow_id = $2
    AND s.id = t.stage_id AND t.is_active = s.is_end`;

const startCounter = `
  INSERT INTO unique_id_counters AS c (workspace_id, workflow_id, last)
  SELECT $1, $2, COALESCE(max(unique_value::numeric), 0) FROM tasks
  WHERE workspace_id = $1 AND workflow_id = $2 AND unique_value ~ '^(0|[1-9][0-9]{0,37})$'
  ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET last = GREATEST(c.last, excluded.last)`;

const endsOf = ({ stages }: WorkflowDefinition): string =>
  JSON.stringify(stages.map(({ name, end }) => [name, end]));
const counts = ({ fields }: WorkflowDefinition): boolean =>
  fields.some(({ autoincrement }) => autoincrement === true);
