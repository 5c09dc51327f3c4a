import { Command } from 'commander';
import { type EntityManager } from 'typeorm';
import { formerDefinition } from '../definitions/former-definition.js';
import { type SourceDefinition } from '../definitions/source/read-definition.js';
import { findFormer } from '../definitions/store/history.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import {
  applyFrom,
  authorOption,
  type ChangeOptions,
  planFrom,
  printingErrors,
  showMade,
  showPlanned,
} from './definition.commands.js';
import { noVersion, parseVersion, requireNamed } from './history.command.js';
import { type Remote, remoteOf, withRemote } from './over-http.js';
import { noWorkspace } from './with-database.js';

/** `wts rollback` */
export function rollbackCommand(): Command {
  return withRemote(new Command('rollback'))
    .description('return a workspace to an earlier version of its history, in one transaction')
    .argument('[workspace]', 'its id; with --url, default: that of the key')
    .requiredOption('--to <version>', 'the version, from `history`', parseVersion)
    .option('--allow-data-loss', 'allow the loss of data that the definition has no place for')
    .option('--dry-run', 'show what would be done, like plan; writes nothing')
    .addOption(authorOption())
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(rollback);
}

const help = `
Elements renamed since then are renamed back, with their values. Elements added since then are removed, as by \`apply --prune\`:
users are deactivated. A field removed since then comes back blank: its values are gone. The result is a new version of the history, which can be rolled back, too.`;

interface RollbackOptions extends ChangeOptions {
  readonly to: number;
  readonly dryRun?: boolean;
}

async function rollback(
  workspace: string | undefined,
  { to, dryRun = false, ...options }: RollbackOptions,
): Promise<void> {
  await printingErrors(options.json, async () => {
    const remote = remoteOf(options);
    if (remote) return rollbackThere(remote, workspace, { to, dryRun, ...options });
    const change = dryRun ? planFrom : applyFrom;
    await change((db) => findFormerHere(db, requireNamed(workspace), to), { ...options, prune: true });
  });
}

async function rollbackThere(
  remote: Remote,
  workspace: string | undefined,
  { to, dryRun = false, ...options }: RollbackOptions,
): Promise<void> {
  const id = await remote.requireWorkspace(workspace);
  const made = await remote.rollback({ to, dryRun, options });
  const file = `version ${to} of ${id}`;
  if (dryRun) showPlanned(made.made, file, options);
  else showMade(made, file, options);
}

async function findFormerHere(db: EntityManager, slug: string, to: number): Promise<SourceDefinition> {
  const workspace = await db.findOneBy(WorkspaceEntity, { slug });
  if (!workspace) throw await noWorkspace(db, slug);
  const found = await findFormer(db, workspace.id, to);
  if (!found) throw noVersion(slug, to);
  return formerDefinition(slug, found);
}
