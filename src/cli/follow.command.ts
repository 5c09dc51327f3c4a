import { Command } from 'commander';
import { rebuildFigures } from '../automation/figures/visits.repository.js';
import { print } from './terminal.js';
import { withWorkspace } from './with-database.js';

export function followCommand(): Command {
  const follow = new Command('follow').description('what is made of the events of a workspace');
  follow
    .command('rebuild')
    .description('make the figures of a workspace anew from all its events')
    .requiredOption('--workspace <id>', 'the workspace')
    .action(async ({ workspace }: { readonly workspace: string }) => {
      await withWorkspace(workspace, rebuildFigures);
      print('the service makes the figures anew from all events');
    });
  return follow;
}
