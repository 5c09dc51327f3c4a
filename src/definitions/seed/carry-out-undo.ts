import { typesWhere } from '../../schema/field-types.js';
import { type EntityManager } from 'typeorm';
import { ApiKeyEntity } from '../../entities/api-key.entity.js';
import { DefinitionMigrationEntity } from '../../entities/definition-migration.entity.js';
import { DefinitionVersionEntity } from '../../entities/definition-version.entity.js';
import { ExecutionEntity } from '../../entities/execution.entity.js';
import { IdempotencyKeyEntity } from '../../entities/idempotency-key.entity.js';
import { UniqueIdCounterEntity } from '../../entities/unique-id-counter.entity.js';
import { UserEntity } from '../../entities/user.entity.js';
import { WorkflowEntity } from '../../entities/workflow.entity.js';
import { WorkspaceEntity } from '../../entities/workspace.entity.js';
import { type RowChange, type RowUpdate, type UndoPlan } from './undo.js';
import { type RowColumns } from '../../entities/json-columns.js';
import { DefinitionRefused } from '../impact/effect.js';
import { refreshActive } from '../migrate-data/clear-removed.js';

/**
 * Carries out a plan that loses nothing: rows are restored before the rows that refer to them, and removed after these.
 * The workspace is removed when nothing is left in it.
 */
export async function carryOutUndo(
  db: EntityManager,
  { insert, update, remove }: UndoPlan,
  workspaceId: number,
): Promise<void> {
  for (const change of insert) await insertRow(db, change);
  for (const change of update) await updateRow(db, change);
  for (const change of remove) await removeRow(db, change);
  await refreshActive(db, workspaceId);
  if (remove.some(({ table }) => table.name === 'workspaces')) await removeEmptyWorkspace(db, workspaceId);
}

/** Deletes the executions of workflows that are removed: without tasks they are no reason to keep a workflow. */
export async function forgetExecutions(db: EntityManager, { remove }: UndoPlan): Promise<void> {
  for (const { row } of remove.filter(({ table }) => table.name === 'workflows'))
    await db.delete(ExecutionEntity, placeOf(row));
}

/** Where the rows of a workflow live. */
function placeOf(workflow: RowColumns): { workspaceId: number; workflowId: number } {
  return { workspaceId: Number(workflow['workspace_id']), workflowId: Number(workflow['id']) };
}

async function insertRow(db: EntityManager, { table: { name }, row }: RowChange): Promise<void> {
  const columns = Object.keys(row).map(quoted).join(', ');
  await db.query(
    `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE
     SELECT ${columns} FROM json_populate_record(NULL::${name}, $1)`,
    [JSON.stringify(row)],
  );
}

async function updateRow(db: EntityManager, { table: { name, key }, row, columns }: RowUpdate): Promise<void> {
  const changes = columns.map((column) => `${quoted(column)} = r.${quoted(column)}`).join(', ');
  const isWorkspace = name === 'workspaces';
  const own = isWorkspace ? ['t.id = r.id'] : ['workspace_id', ...key].map((column) => `t.${column} = r.${column}`);
  await db.query(
    `UPDATE ${name} t SET ${changes} FROM json_populate_record(NULL::${name}, $1) r WHERE ${own.join(' AND ')}`,
    [JSON.stringify(isWorkspace ? { ...row, id: row['workspace_id'] } : row)],
  );
} // prettier-ignore

async function removeRow(db: EntityManager, { table: { name, key }, row }: RowChange): Promise<void> {
  if (name === 'workspaces') return;
  const columns = ['workspace_id', ...key];
  if (name === 'workflows') await db.delete(UniqueIdCounterEntity, placeOf(row));
  const where = columns.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
  await db.query(
    `DELETE FROM ${name} WHERE ${where}`,
    columns.map((column) => row[column]),
  );
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Removes the workspace, with its keys, stored answers and history, where it has neither workflows nor users any more. */
async function removeEmptyWorkspace(db: EntityManager, workspaceId: number): Promise<void> {
  for (const table of [WorkflowEntity, UserEntity]) if (await db.existsBy(table, { workspaceId })) return;
  for (const table of [
    ApiKeyEntity,
    IdempotencyKeyEntity,
    DefinitionMigrationEntity,
    DefinitionVersionEntity,
  ])
    await db.delete(table, { workspaceId });
  await db.delete(WorkspaceEntity, { id: workspaceId });
}

/** Throws with every reason when undoing would take something away from tasks, or from what was changed since. */
export async function refuseLoss(db: EntityManager, { conflicts, remove, update }: UndoPlan): Promise<void> {
  const reasons = [...conflicts];
  // Of a workflow that goes as a whole, its own reasons say enough.
  const workflows = new Set(remove.filter(({ table }) => table.name === 'workflows').map(({ row }) => row['id'])); // prettier-ignore
  for (const { table, row, label } of remove.filter(({ row }) => !workflows.has(row['workflow_id']))) {
    for (const use of uses.get(table.name) ?? []) {
      const count = await countRows(db, use, row);
      if (count > 0) reasons.push(`${label} cannot go: ${use.says(count)}`);
    }
  }
  for (const change of update) {
    const use = useAgainst(change);
    const count = use ? await countRows(db, use, change.now) : 0;
    if (use && count > 0) reasons.push(`${change.label} cannot go back: ${use.says(count)}`);
  }
  if (reasons.length > 0) throw new DefinitionRefused(reasons);
}

interface Use {
  /** Rows that name a row of a definition: `$1` is its workspace, `$2` its workflow or null, `$3` its id. */
  readonly rows: string;
  readonly says: (count: number) => string;
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const isOneOf = (types: readonly string[]): string => `f.type = ANY ('{${types.join()}}')`;

const values: Use = {
  rows: `tasks WHERE workspace_id = $1 AND workflow_id = $2 AND (field_values ? $3::text
    OR unique_value IS NOT NULL AND EXISTS (
      SELECT FROM fields f WHERE f.workspace_id = $1 AND f.workflow_id = $2 AND f.id = $3
        AND ${isOneOf(typesWhere(({ storage }) => storage === 'column'))}))`,
  says: (count) => `${plural(count, 'task')} ${count === 1 ? 'holds' : 'hold'} a value`,
};

const links: Use = {
  rows: 'links WHERE workspace_id = $1 AND $2::integer IS NULL AND relationship_id = $3',
  says: (count) => `it has ${plural(count, 'link')}`,
};

const ofUser = (table: string, column: string, noun: string): Use => ({
  rows: `${table} WHERE workspace_id = $1 AND $2::integer IS NULL AND ${column} = $3`,
  says: (count) => `${plural(count, noun)} ${count === 1 ? 'names' : 'name'} it`,
});

/** What would be lost, or be left without what it names, by the name of the table whose row goes. */
const uses: ReadonlyMap<string, readonly Use[]> = new Map([
  [
    'workflows',
    [
      {
        rows: 'tasks WHERE workspace_id = $1 AND $2::integer IS NULL AND workflow_id = $3::integer',
        says: (count) => `it holds ${plural(count, 'task')}`,
      },
    ],
  ],
  [
    'stages',
    [
      {
        rows: 'tasks WHERE workspace_id = $1 AND workflow_id = $2 AND stage_id = $3::integer',
        says: (count) => `${plural(count, 'task')} ${count === 1 ? 'stands' : 'stand'} in it`,
      },
      {
        rows: 'checklist_items WHERE workspace_id = $1 AND workflow_id = $2 AND stage_id = $3::integer',
        says: (count) => `tasks have ${plural(count, 'checklist item')} on it`,
      },
    ],
  ],
  ['fields', [values]],
  ['relationships', [links]],
  [
    'users',
    [
      ofUser('tasks', 'assignee_id', 'task'),
      ofUser('checklist_items', 'assignee_id', 'checklist item'),
      ofUser('comments', 'author_id', 'comment'),
      ofUser('executions', 'performer_id', 'execution'),
      {
        rows: `tasks t JOIN fields f USING (workspace_id, workflow_id)
          WHERE t.workspace_id = $1 AND $2::integer IS NULL AND ${isOneOf(typesWhere(({ namesUsers }) => namesUsers))}
            AND t.field_values->>f.id = $3`,
        says: (count) => `${plural(count, 'value')} of tasks ${count === 1 ? 'names' : 'name'} it`,
      },
    ],
  ],
]);

/** A field of another type, or a relationship that joins less, may not fit what there is. */
function useAgainst({ table, row, now, columns }: RowUpdate): Use | undefined {
  if (table.name === 'fields' && columns.includes('type')) return values;
  const isMoved = columns.includes('from_workflow_id') || columns.includes('to_workflow_id');
  const isNarrower = table.name === 'relationships' && !allows(row['kind'], now['kind']);
  return table.name === 'relationships' && (isMoved || isNarrower) ? links : undefined;
}

/** Whether links of one kind of relationship are links of another, too. */
function allows(kind: unknown, links: unknown): boolean {
  const sides = String(links).split('_to_');
  return String(kind).split('_to_').every((side, index) => side === 'many' || side === sides[index]); // prettier-ignore
}

async function countRows(db: EntityManager, { rows }: Use, row: RowColumns): Promise<number> {
  const [found] = await db.query<{ count: string }[]>(`SELECT count(*) FROM ${rows}`, [
    row['workspace_id'],
    row['workflow_id'] ?? null,
    row['id'],
  ]);
  return Number(found?.count);
}
