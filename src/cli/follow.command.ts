import { Command } from 'commander';
import { type EntityManager } from 'typeorm';
import { readConfig } from '../config.js';
import { plural } from '../definitions/impact/effect.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { projections } from '../definitions/followers.js';
import { rebuildProjection } from '../followers/rebuild.js';
import { taskUrlOf } from '../lib/public-address.js';
import { Workspaces } from '../workspace/workspaces.js';
import { print } from './terminal.js';
import { noWorkspace, withDatabase } from './with-database.js';

/** `wts follow …` */
export function followCommand(): Command {
  const follow = new Command('follow').description('what the service keeps of the events that it follows');
  follow
    .command('rebuild <name>')
    .description('make it anew from the events that are kept; nothing is started or sent')
    .option('--workspace <id>', 'only this workspace')
    .action(rebuild);
  return follow;
}

async function rebuild(name: string, { workspace }: { readonly workspace?: string }): Promise<void> {
  const projection = projections.find((each) => each.name === name);
  if (!projection)
    throw new Error(
      `There is no ${name} to rebuild. There is: ${projections.map((each) => each.name).join(', ')}`,
    );
  await withDatabase(async (db) => {
    const workspaces = new Workspaces(db.dataSource, taskUrlOf(readConfig()));
    for (const { id, slug } of await workspacesOf(db, workspace)) {
      const count = await rebuildProjection(db.dataSource, workspaces, projection, id);
      print(`${slug}: ${name} of ${plural(count, 'task')} made anew`);
    }
  });
}

async function workspacesOf(db: EntityManager, slug: string | undefined): Promise<WorkspaceEntity[]> {
  const found = await db.find(WorkspaceEntity, { ...(slug && { where: { slug } }), order: { id: 'ASC' } });
  if (slug !== undefined && found.length === 0) throw await noWorkspace(db, slug);
  return found;
}
