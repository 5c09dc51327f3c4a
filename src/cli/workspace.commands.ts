import { Command, InvalidArgumentError } from 'commander';
import { type EntityManager } from 'typeorm';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { printTable, print, confirm } from './terminal.js';
import { withDatabase, workspaceNamed } from './with-database.js';
import { createApiKey } from '../access/api-keys.js';
import { applyWithin, retried } from '../workflows/definition/apply-definition.js';
import { type SourceDefinition } from '../workflows/definition/source/read-definition.js';
import { knownSettingsOf } from '../workflows/definition/plan-definition.js';
import { type KnownSettings } from '../workflows/model/check/kit.js';
import { readConfig } from '../config.js';
import { fileArgument, readSource } from './definition.commands.js';
import { noWorkspaceYet } from './service/welcome.js';
import { plural } from '../common/wording.js';
import { addWorkspace, lockWorkflows } from '../workflows/model/workspace.repository.js';
import { announceChange } from '../common/database/notifications.js';
import { setOrigin } from '../common/database/sql.js';
import { BlobEntity } from '../tasks/files/blob.entity.js';
import { WorkflowEntity } from '../workflows/model/entities/workflow.entity.js';
import { TaskEntity } from '../tasks/store/task.entity.js';
import { releaseBlobsOfWorkspace } from '../tasks/files/blobs.repository.js';

export function workspaceCommands(): Command {
  const workspace = new Command('workspace').description('list, create and delete workspaces');
  workspace.command('list').description('show every workspace').action(list);
  workspace.addCommand(createCommand());
  workspace.addCommand(deleteCommand());
  return workspace;
}

async function list(): Promise<void> {
  const workspaces = await withDatabase((db) => db.find(WorkspaceEntity, { order: { slug: 'ASC' } }));
  printTable(
    ['ID', 'NAME', 'VERSION'],
    workspaces.map(({ slug, name, version }) => [slug, name, String(version)]),
  );
  if (workspaces.length === 0) process.stderr.write(`${noWorkspaceYet}\n`);
}

function createCommand(): Command {
  return new Command('create')
    .description('create a workspace from a definition, and print its first key; it is shown only once')
    .argument('<id>', 'the id of the workspace, instead of the one in the definition', parseId)
    .requiredOption('--definition <file>', fileArgument)
    .action(async (id: string, { definition }: { readonly definition: string }) => {
      const source = await readSource(definition);
      source.definition.workspace.id = id;
      const known = knownSettingsOf(readConfig());
      print(await withDatabase((db) => db.transaction((tx) => createWorkspace(tx, source, known))));
    });
}

/** Creates the workspace of a definition. Returns its first API key; throws if the id is taken. */
export async function createWorkspace(
  tx: EntityManager,
  source: SourceDefinition,
  known: KnownSettings = {},
): Promise<string> {
  const { id: slug } = source.definition.workspace;
  const made = await addWorkspace(tx, { slug, name: slug });
  if (!made) throw new Error(`There is a workspace "${slug}" already; "wts apply" changes it.`);
  await applyWithin(tx, source, known);
  return createApiKey(tx, { workspaceId: made.id, name: 'first key', scope: 'write', expiresAt: null });
}

function parseId(text: string): string {
  if (!/^[a-z0-9-]{1,100}$/.test(text))
    throw new InvalidArgumentError('It must be lower-case letters, digits and hyphens.');
  return text;
}

function deleteCommand(): Command {
  return new Command('delete')
    .argument('<id>', 'the workspace')
    .description('delete a workspace: its tasks, its definition, its users and its keys')
    .option('--yes', 'do not ask for confirmation')
    .action(async (id: string, options: { readonly yes?: true }) => {
      const question = `This deletes the workspace ${id} with all tasks for good.`;
      if (!(await confirm(question, options))) {
        print('nothing was deleted');
        return;
      }
      const count = await withDatabase((db) => deleteWorkspace(db, id));
      print(`deleted workspace ${id}: ${plural(count, 'task')} deleted`);
    });
}

/** Deletes a workspace with its rows, except `blobs`, in one transaction; returns the number of its tasks. */
export async function deleteWorkspace(db: EntityManager, slug: string): Promise<number> {
  return retried(() =>
    db.transaction(async (tx) => {
      const id = await lockWorkspace(tx, slug);
      // Turns off the recording of events for the rows that are deleted.
      await setOrigin(tx, id, 'none');
      // The rows of `blobs` stay, because the sweep of unused files finds the bytes by these rows.
      await releaseBlobsOfWorkspace(tx, id);
      const tasks = await tx.countBy(TaskEntity, { workspaceId: id });
      for (const table of await erasedTables(tx)) await eraseRows(tx, table, id);
      await tx.delete(WorkspaceEntity, { id });
      await announceChange(tx, id);
      await announceChange(tx, 'keys');
      return tasks;
    }),
  );
}

/** Locks a workspace against writes. Takes the locks in the same order as writers and `apply`. */
async function lockWorkspace(tx: EntityManager, slug: string): Promise<number> {
  await tx.query("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0");
  const { id } = await workspaceNamed(tx, slug, 'pessimistic_write');
  // Loads Nest on demand, because most commands do not need it.
  const { forgetExpiredKeys } = await import('../common/http/idempotency.js');
  // Deletes expired idempotency keys first, because requests lock these keys before workflows.
  await forgetExpiredKeys(tx, id);
  const workflows = await tx.find(WorkflowEntity, {
    select: { id: true },
    where: { workspaceId: id },
    order: { id: 'ASC' },
  });
  await lockWorkflows(tx, id, workflows.map((workflow) => workflow.id)); // prettier-ignore
  return id;
}

/** Returns the tables with data of workspaces, except `blobs`. A table precedes the tables it references. */
export async function erasedTables(db: EntityManager): Promise<readonly string[]> {
  const references = await db.query<Reference[]>(readReferences);
  const all = db.dataSource.entityMetadatas.filter(
    ({ target, propertiesMap }) => 'workspaceId' in propertiesMap && target !== BlobEntity,
  );
  return inOrder(all.map(({ tableName }) => tableName), references); // prettier-ignore
}

interface Reference {
  readonly from: string;
  readonly to: string;
}

const readReferences = `
  SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to
  FROM pg_constraint JOIN pg_class c ON c.oid = conrelid
  WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> confrelid`;

function inOrder(tables: readonly string[], references: readonly Reference[]): string[] {
  const ordered = new Set<string>();
  const add = (table: string): void => {
    if (ordered.has(table)) return;
    for (const { from, to } of references) if (to === table) add(from);
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered].filter((table) => tables.includes(table));
}

async function eraseRows(tx: EntityManager, table: string, workspaceId: number): Promise<void> {
  await tx.query(`DELETE FROM ${table} WHERE workspace_id = $1`, [workspaceId]);
}
