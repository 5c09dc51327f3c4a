import { type EntityManager } from 'typeorm';
import { type DefinitionRows, type RowColumns } from '../../entities/json-columns.js';

/** A table that definitions are kept in. */
export interface DefinitionTable {
  readonly name: string;
  /** What a row of it is called. */
  readonly what: string;
  /** What tells a row from the others of its workspace. */
  readonly key: readonly string[];
  readonly columns: string;
}

/** The workspace itself; it is told by its id, and its version is none of its definition. */
export const workspaceTable: DefinitionTable = {
  name: 'workspaces',
  what: 'workspace',
  key: [],
  columns: 'id AS workspace_id, slug, name, timezone',
};

/** Every table of a definition but the workspaces', parents first. */
export const definitionTables: readonly DefinitionTable[] = [
  {
    name: 'users',
    what: 'user',
    key: ['id'],
    columns: 'workspace_id, id, email, first_name, last_name, active, position',
  },
  { name: 'workflows', what: 'workflow', key: ['id'], columns: '*' },
  { name: 'stages', what: 'stage', key: ['workflow_id', 'id'], columns: '*' },
  {
    name: 'fields',
    what: 'field',
    key: ['workflow_id', 'id'],
    columns: 'workspace_id, workflow_id, id, name, type, required, editable, settings, position',
  },
  { name: 'checklist_template_items', what: 'checklist item', key: ['workflow_id', 'id'], columns: '*' },
  { name: 'actions', what: 'action', key: ['workflow_id', 'id'], columns: '*' },
  { name: 'roles', what: 'role', key: ['workflow_id', 'id'], columns: '*' },
  { name: 'members', what: 'member', key: ['workflow_id', 'user_id'], columns: '*' },
  { name: 'relationships', what: 'relationship', key: ['id'], columns: '*' },
];

/** Every row of a workspace's definition, as JSON spells it. */
export async function loadDefinitionRows(db: EntityManager, workspaceId: number): Promise<DefinitionRows> {
  const loaded: [string, RowColumns[]][] = [];
  for (const { name, columns, key } of [workspaceTable, ...definitionTables]) {
    const isWorkspace = name === 'workspaces';
    const own = isWorkspace ? 'id' : 'workspace_id';
    const order = isWorkspace ? 'id' : ['position', ...key].join(', ');
    const rows = await db.query<{ row: RowColumns }[]>(
      `SELECT to_json(t) AS row FROM (SELECT ${columns} FROM ${name} WHERE ${own} = $1 ORDER BY ${order}) t`,
      [workspaceId],
    );
    loaded.push([name, rows.map(({ row }) => row)]);
  }
  return Object.fromEntries(loaded);
}

/** The key of a row among those of its table. */
export function keyOf({ key }: DefinitionTable, row: RowColumns): string {
  return JSON.stringify(key.map((column) => row[column]));
}

/** What a row is called by people: `vendors / Tier`. */
export function labelOf(row: RowColumns, rows: DefinitionRows): string {
  const named = (table: string, id: unknown): RowColumns | undefined =>
    rows[table]?.find((other) => other['id'] === id);
  const workflow = named('workflows', row['workflow_id'])?.['slug'];
  const user = named('users', row['user_id'])?.['email'];
  const own = user ?? row['slug'] ?? row['email'] ?? row['title'] ?? row['name'] ?? row['id'];
  return [workflow, own].filter((part) => typeof part === 'string').join(' / ');
}
