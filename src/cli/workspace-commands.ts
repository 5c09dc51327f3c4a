import { Command } from 'commander';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { createCommand } from './create-workspace.js';
import { eraseCommand } from './erase-command.js';
import { deleteWorkspace, resetWorkspace } from './erase-workspace.js';
import { printTable } from './print.js';
import { withDatabase } from './with-database.js';

/** `wts workspace …` */
export function workspaceCommands(): Command {
  const workspace = new Command('workspace').description('workspaces');
  workspace.command('list').description('show every workspace').action(list);
  workspace.addCommand(createCommand());
  workspace.addCommand(
    eraseCommand('reset', 'delete all tasks and all that is about them; keep the definition and the keys', resetWorkspace), // prettier-ignore
  );
  workspace.addCommand(
    eraseCommand('delete', 'delete a workspace: its tasks, its definition, its users and its keys', deleteWorkspace), // prettier-ignore
  );
  return workspace;
}

async function list(): Promise<void> {
  const workspaces = await withDatabase((db) => db.find(WorkspaceEntity, { order: { slug: 'ASC' } }));
  printTable(
    ['ID', 'NAME', 'VERSION'],
    workspaces.map(({ slug, name, version }) => [slug, name, String(version)]),
  );
}
