import { Command } from 'commander';
import { type EntityManager } from 'typeorm';
import { rollbackDefinition, stagesRemovedSince } from '../definitions/merge/rollback.js';
import { readDefinition, type SourceDefinition } from '../definitions/source/read-definition.js';
import {
  applyFrom,
  type ChangeOptions,
  parseVersion,
  planFrom,
  printingErrors,
  findVersionIn,
  versionsOf,
} from './definition.commands.js';

/** `wts rollback` */
export function rollbackCommand(): Command {
  return new Command('rollback')
    .description(
      'make a workspace what it was by a version of its history, in one transaction, as apply would',
    )
    .argument('<workspace>', 'its id')
    .requiredOption('--to <version>', 'the version, as `history` shows it', parseVersion)
    .option('--allow-data-loss', 'lose what that definition has no place for')
    .option('--dry-run', 'show what would be done, as plan does; writes nothing')
    .option('--json', 'print for machines')
    .addHelpText('after', help)
    .action(rollback);
}

const help = `
What was renamed since is renamed back, with its values; what was added since is removed, as by \`apply --prune\`:
users are deactivated. A field that was removed since comes back blank: its values are gone. It is a new version of the history, and can itself be rolled back.`;

interface RollbackOptions extends ChangeOptions {
  readonly to: number;
  readonly dryRun?: boolean;
}

async function rollback(
  workspace: string,
  { to, dryRun = false, ...options }: RollbackOptions,
): Promise<void> {
  const change = dryRun ? planFrom : applyFrom;
  await printingErrors(options.json, () =>
    change((db) => formerDefinition(db, workspace, to), { ...options, prune: true }),
  );
}

/** The definition of this version, as a file that names what was renamed since. */
async function formerDefinition(db: EntityManager, workspace: string, to: number): Promise<SourceDefinition> {
  const versions = await versionsOf(db, workspace);
  const former = findVersionIn(versions, workspace, to);
  const source = readDefinition(JSON.stringify(former.definition), `version ${to} of ${workspace}`);
  const since = versions
    .filter(({ version }) => version > to)
    .map(({ changes }) => changes)
    .reverse();
  const notes = [
    ...stagesRemovedSince(source.definition, since).map(
      (stage) => `stage ${stage} comes back empty: tasks that were moved out of it stay where they are`,
    ),
    'the definition file stays as it is: change it, too, or the next apply of it takes this back',
  ];
  return {
    ...source,
    definition: rollbackDefinition(source.definition, since),
    notes: notes.map((message) => ({ path: '', message })),
  };
}
