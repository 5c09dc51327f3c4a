import { type EntityManager } from 'typeorm';
import { type FieldEntity } from '../entities/field.entity.js';
import { brokenLinks } from './broken-links.js';
import { type FieldDefinition, type WorkflowDefinition, type WorkspaceDefinition } from './definition.js';
import { DefinitionRefused } from './definition-refused.js';
import { finder } from './reconcile.js';
import { storedDefinition } from './stored-definition.js';
import { type WorkspaceRows } from './workspace-rows.js';

/** Throws with every reason when the stored tasks hold what the definition could no longer show. */
export async function refuseDataLoss(
  db: EntityManager,
  rows: WorkspaceRows,
  merged: WorkspaceDefinition,
): Promise<void> {
  const reasons = await brokenLinks(db, rows, merged);
  for (const { workflow, field, wanted } of retypedFields(rows, merged)) {
    const count = await countValues(db, field);
    const tasks = count === 1 ? '1 task holds' : `${count} tasks hold`;
    if (count > 0)
      reasons.push(
        `field ${workflow} / ${field.name} cannot turn from ${field.type} to ${wanted}: ${tasks} a value`,
      );
  }
  if (reasons.length > 0) throw new DefinitionRefused(reasons);
}

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

interface Retyped {
  readonly workflow: string;
  readonly field: FieldEntity;
  readonly wanted: string;
}

function retypedFields(rows: WorkspaceRows, merged: WorkspaceDefinition): Retyped[] {
  return rows.workflows.flatMap(({ id, slug }) => {
    const elements = merged.workflows.find((workflow) => workflow.id === slug)?.fields ?? [];
    const find = finder<FieldEntity, FieldDefinition>({
      existing: rows.fields.filter((field) => field.workflowId === id),
      elements,
      nameOfRow: ({ name }) => name,
      nameOf: ({ name }) => name,
      formerNameOf: ({ was }) => was,
    });
    return elements.flatMap((element) => {
      const field = find(element);
      return field && field.type !== element.type ? [{ workflow: slug, field, wanted: element.type }] : [];
    });
  });
}

async function countValues(
  db: EntityManager,
  { workspaceId, workflowId, id, type }: FieldEntity,
): Promise<number> {
  const holds = type === 'uniqueId' ? 'unique_value IS NOT NULL' : 'field_values ? $3';
  const [row] = await db.query<{ count: string }[]>(
    `SELECT count(*) FROM tasks WHERE workspace_id = $1 AND workflow_id = $2 AND $3::text IS NOT NULL AND ${holds}`,
    [workspaceId, workflowId, id],
  );
  return Number(row?.count ?? 0);
}
