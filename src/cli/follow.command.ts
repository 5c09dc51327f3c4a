import { Command } from 'commander';
import { rebuildFigures } from '../automation/figures/visits.repository.js';
import { print } from './terminal.js';
import { withWorkspace } from './with-database.js';

export function followCommand(): Command {
  const follow = new Command('follow').description('data that the service derives from events');
  follow
    .command('rebuild')
    .description('rebuild the figures of a workspace from all its events')
    .requiredOption('--workspace <id>', 'the workspace')
    .action(async ({ workspace }: { readonly workspace: string }) => {
      await withWorkspace(workspace, rebuildFigures);
      print('the service rebuilds the figures from all events');
    });
  return follow;
}
