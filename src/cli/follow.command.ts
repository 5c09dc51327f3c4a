import { Command } from 'commander';
import { readConfig } from '../config.js';
import { projections } from '../definitions/followers.js';
import { plural } from '../definitions/impact/effect.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { rebuildProjection } from '../followers/rebuild.js';
import { taskUrlOf } from '../lib/public-address.js';
import { Workspaces } from '../workspace/workspaces.js';
import { print } from './terminal.js';
import { noWorkspace, withDatabase } from './with-database.js';

/** `wts follow rebuild` */
export function followCommand(): Command {
  const follow = new Command('follow').description('rebuild the data that the service derives from events');
  follow
    .command('rebuild <name>')
    .description('rebuild such data from the stored events; nothing is started or sent')
    .option('--workspace <id>', 'only this workspace')
    .action(rebuild);
  return follow;
}

async function rebuild(name: string, { workspace: slug }: { readonly workspace?: string }): Promise<void> {
  const projection = projections.find((each) => each.name === name);
  if (!projection) throw new Error(`There is no "${name}" to rebuild. There are: ${projections.map((each) => each.name).join(', ')}`); // prettier-ignore
  await withDatabase(async (db) => {
    const workspaces = new Workspaces(db.dataSource, taskUrlOf(readConfig()));
    const found = await db.find(WorkspaceEntity, { ...(slug && { where: { slug } }), order: { id: 'ASC' } });
    if (slug !== undefined && found.length === 0) throw await noWorkspace(db, slug);
    for (const each of found) {
      const count = await rebuildProjection(db.dataSource, workspaces, projection, each.id);
      print(`${each.slug}: rebuilt ${name} of ${plural(count, 'task')}`);
    }
  });
}
