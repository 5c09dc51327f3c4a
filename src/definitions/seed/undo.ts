import { type EntityManager } from 'typeorm';
import { type DefinitionRows, type RowColumns } from '../../entities/json-columns.js';
import { isSameValue } from '../merge/identities.js';

/** What has to happen to the rows of a definition so that a migration is undone. */
export interface UndoPlan {
  readonly insert: readonly RowChange[];
  readonly update: readonly RowUpdate[];
  readonly remove: readonly RowChange[];
  /** What was changed since and would be lost. */
  readonly conflicts: readonly string[];
}

export interface RowChange {
  readonly table: DefinitionTable;
  readonly row: RowColumns;
  /** `stage vendors / New` */
  readonly label: string;
}

export interface RowUpdate extends RowChange {
  /** The row as it is now; `row` is what it shall be. */
  readonly now: RowColumns;
  readonly columns: readonly string[];
}

/**
 * Plans how to take back exactly what led from `found` to `left`. What was changed since stays, column by column; where
 * it is the migration's own work that was changed, that is a conflict. An order that was changed since stays as it is.
 */
export function planUndo(found: DefinitionRows, left: DefinitionRows, now: DefinitionRows): UndoPlan {
  const plans = [workspaceTable, ...definitionTables].map((table) =>
    planTable(table, { found: rowsOf(table, found), left: rowsOf(table, left), now: rowsOf(table, now) }, (row) =>
      `${table.what} ${labelOf(row, { ...left, ...now })}`,
    ),
  ); // prettier-ignore
  return {
    insert: plans.flatMap(({ insert }) => insert),
    update: plans.flatMap(({ update }) => update),
    remove: plans.flatMap(({ remove }) => remove).reverse(),
    conflicts: plans.flatMap(({ conflicts }) => conflicts),
  };
}

type Rows = ReadonlyMap<string, RowColumns>;

function rowsOf(table: DefinitionTable, rows: DefinitionRows): Rows {
  return new Map((rows[table.name] ?? []).map((row) => [keyOf(table, row), row]));
}

interface Versions {
  readonly found: Rows;
  readonly left: Rows;
  readonly now: Rows;
}

interface Draft {
  readonly insert: RowChange[];
  readonly update: RowUpdate[];
  readonly remove: RowChange[];
  readonly conflicts: string[];
}

function planTable(
  table: DefinitionTable,
  versions: Versions,
  labelled: (row: RowColumns) => string,
): UndoPlan {
  const draft: Draft = { insert: [], update: [], remove: [], conflicts: [] };
  for (const key of new Set([...versions.found.keys(), ...versions.left.keys()])) {
    const [found, left, now] = [versions.found.get(key), versions.left.get(key), versions.now.get(key)];
    const label = labelled(now ?? left ?? found ?? {});
    if (found && left) planChanged({ table, label, found, left, now }, draft);
    else if (found) planRemoved({ table, label, row: found }, now, draft);
    else if (left && now) planAdded({ table, label, row: now }, left, draft);
  }
  return draft;
}

interface Changed {
  readonly table: DefinitionTable;
  readonly label: string;
  readonly found: RowColumns;
  readonly left: RowColumns;
  readonly now: RowColumns | undefined;
}

function planChanged({ table, label, found, left, now }: Changed, { update, conflicts }: Draft): void {
  const changed = Object.keys(found).filter((column) => !isSameValue(found[column], left[column]));
  if (!now) {
    if (changed.some((column) => column !== 'position')) conflicts.push(`${label} is gone since`);
    return;
  }
  const columns = changed.filter((column) => isSameValue(now[column], left[column]));
  const isOther = changed.some(
    (column) => column !== 'position' && !columns.includes(column) && !isSameValue(now[column], found[column]),
  );
  if (isOther) conflicts.push(`${label} has been changed since`);
  else if (columns.length > 0) update.push({ table, label, row: { ...now, ...pick(found, columns) }, now, columns });
} // prettier-ignore

function pick(row: RowColumns, columns: readonly string[]): RowColumns {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

function planRemoved(change: RowChange, now: RowColumns | undefined, { insert, conflicts }: Draft): void {
  if (now) conflicts.push(`${change.label} has been made again since`);
  else insert.push(change);
}

function planAdded(change: RowChange, left: RowColumns, { remove, conflicts }: Draft): void {
  const isOther = Object.keys(left).some(
    (column) => column !== 'position' && !isSameValue(change.row[column], left[column]),
  );
  if (isOther) conflicts.push(`${change.label} has been changed since`);
  else remove.push(change);
}

/** A table that definitions are kept in. */
interface DefinitionTable {
  readonly name: string;
  /** What a row of it is called. */
  readonly what: string;
  /** What tells a row from the others of its workspace. */
  readonly key: readonly string[];
  readonly columns: string;
}

/** The workspace itself, identified by its id; its version is no part of its definition. */
const workspaceTable: DefinitionTable = {
  name: 'workspaces',
  what: 'workspace',
  key: [],
  columns: 'id AS workspace_id, slug, name, timezone',
};

/** Every table of a definition but the workspaces', parents first. */
const definitionTables: readonly DefinitionTable[] = [
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
  {
    name: 'webhooks',
    what: 'webhook',
    key: ['id'],
    columns:
      'workspace_id, id, managed_by, position, url, origin, events, workflows, fields, condition, content, headers',
  },
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
function keyOf({ key }: DefinitionTable, row: RowColumns): string {
  return JSON.stringify(key.map((column) => row[column]));
}

/** What a row is called by people: `vendors / Tier`. */
function labelOf(row: RowColumns, rows: DefinitionRows): string {
  const named = (table: string, id: unknown): RowColumns | undefined =>
    rows[table]?.find((other) => other['id'] === id);
  const workflow = named('workflows', row['workflow_id'])?.['slug'];
  const user = named('users', row['user_id'])?.['email'];
  const own = user ?? row['slug'] ?? row['email'] ?? row['title'] ?? row['name'] ?? row['id'];
  return [workflow, own].filter((part) => typeof part === 'string').join(' / ');
}
