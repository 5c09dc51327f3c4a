import { Command } from 'commander';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { printTable } from './print.js';
import { withDatabase } from './with-database.js';

/** `wts workspace …` */
export function workspaceCommands(): Command {
  const workspace = new Command('workspace').description('workspaces');
  workspace.command('list').description('show every workspace').action(list);
  return workspace;
}

async function list(): Promise<void> {
  const workspaces = await withDatabase((db) => db.find(WorkspaceEntity, { order: { slug: 'ASC' } }));
  printTable(
    ['ID', 'NAME', 'VERSION'],
    workspaces.map(({ slug, name, version }) => [slug, name, String(version)]),
  );
}
