import { Command, InvalidArgumentError } from 'commander';
import { type EntityManager } from 'typeorm';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { deleteWorkspace } from './erase-workspace.js';
import { printTable, print, confirm } from './terminal.js';
import { withDatabase } from './with-database.js';
import { createApiKey } from '../access/api-keys.js';
import { applyWithin } from '../workflows/definition/apply-definition.js';
import { type SourceDefinition } from '../workflows/definition/source/read-definition.js';
import { fileArgument, readSource } from './definition.commands.js';
import { noWorkspaceYet } from './service/welcome.js';
import { plural } from '../common/wording.js';
import { addWorkspace } from '../workflows/model/workspace.repository.js';

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
      print(await withDatabase((db) => db.transaction((tx) => createWorkspace(tx, source))));
    });
}

/** Creates the workspace of a definition and a key for it; throws if the id is taken. */
export async function createWorkspace(tx: EntityManager, source: SourceDefinition): Promise<string> {
  const { id: slug } = source.definition.workspace;
  const made = await addWorkspace(tx, { slug, name: slug });
  if (!made) throw new Error(`There is a workspace "${slug}" already; "wts apply" changes it.`);
  await applyWithin(tx, source);
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
