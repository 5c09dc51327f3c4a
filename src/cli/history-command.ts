import { Command, InvalidArgumentError } from 'commander';
import { type DefinitionVersionEntity } from '../entities/definition-version.entity.js';
import { renderChange } from '../definitions/change.js';
import { findHistory } from '../definitions/history.js';
import { print, printTable } from './print.js';
import { withDatabase } from './with-database.js';

/** `wts history` */
export function historyCommand(): Command {
  return new Command('history')
    .description('show every definition that was applied to a workspace, newest first')
    .argument('<workspace>', 'its id')
    .option('--of <version>', 'show all changes of one version', parseVersion)
    .option('--json', 'print for machines; of one version, with the whole definition')
    .action(history);
}

interface Options {
  readonly of?: number;
  readonly json?: boolean;
}

async function history(workspace: string, { of: wanted, json = false }: Options): Promise<void> {
  const versions = await withDatabase((db) => findHistory(db, workspace));
  if (!versions) throw new Error(`There is no workspace "${workspace}". See: wts workspace list`);
  if (wanted === undefined) {
    if (json) print(JSON.stringify(versions.map(summary)));
    else printAll(versions);
    return;
  }
  const version = versions.find((one) => one.version === wanted);
  if (!version)
    throw new Error(`Workspace "${workspace}" has no version ${wanted}. See: wts history ${workspace}`);
  if (json) print(JSON.stringify({ ...summary(version), definition: version.definition }));
  else printOne(version);
}

function summary({ version, appliedAt, appliedBy, changes }: DefinitionVersionEntity): object {
  return { version, applied_at: appliedAt.toISOString(), applied_by: appliedBy, changes };
}

function printAll(versions: readonly DefinitionVersionEntity[]): void {
  const rows = versions.map(({ version, appliedAt, appliedBy, changes }) => {
    const [first, ...others] = changes.map(renderChange);
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    return [String(version), appliedAt.toISOString(), appliedBy, `${first ?? ''}${more}`];
  });
  printTable(['VERSION', 'APPLIED', 'BY', 'CHANGES'], rows);
}

function printOne({ version, appliedAt, appliedBy, changes }: DefinitionVersionEntity): void {
  print(`version ${version}, applied by ${appliedBy} at ${appliedAt.toISOString()}`);
  for (const change of changes) print(`  ${renderChange(change)}`);
}

function parseVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be the number of a version.');
  return Number(text);
}
