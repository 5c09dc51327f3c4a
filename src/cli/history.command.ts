import { Command, InvalidArgumentError } from 'commander';
import { renderChange } from '../definitions/merge/diff.js';
import { findHistory, type ShownVersion, shownVersion } from '../definitions/store/history.js';
import { type RemoteOptions, remoteOf, withRemote } from './over-http.js';
import { alterationLines } from './render-plan.js';
import { paintFor, print, printTable } from './terminal.js';
import { noWorkspace, withDatabase } from './with-database.js';

/** `wts history` */
export function historyCommand(): Command {
  return withRemote(new Command('history'))
    .description('show every definition that was applied to a workspace, newest first')
    .argument('[workspace]', 'its id; with --url, default: that of the key')
    .option('--of <version>', 'show all changes of one version', parseVersion)
    .option('--json', 'print JSON; for one version, with the whole definition')
    .action(history);
}

interface HistoryOptions extends RemoteOptions {
  readonly of?: number;
  readonly json?: boolean;
}

async function history(
  workspace: string | undefined,
  { of: wanted, json = false, ...options }: HistoryOptions,
): Promise<void> {
  const remote = remoteOf(options);
  const versions: readonly ToldVersion[] = remote
    ? await remote.history(workspace)
    : await versionsHere(requireNamed(workspace));
  if (wanted === undefined) {
    if (json) print(JSON.stringify(versions.map(({ definition: _, ...head }) => head)));
    else printAll(versions);
    return;
  }
  const found = versions.find(({ version }) => version === wanted);
  if (!found) throw noVersion(workspace, wanted);
  if (json) print(JSON.stringify(found));
  else printOne(found);
}

async function versionsHere(slug: string): Promise<ToldVersion[]> {
  return withDatabase(async (db) => {
    const versions = await findHistory(db, slug);
    if (!versions) throw await noWorkspace(db, slug);
    return versions.map((version) => ({ ...shownVersion(version), definition: version.definition }));
  });
}

/** A version; it has its definition only if it comes from the database. */
interface ToldVersion extends ShownVersion {
  readonly definition?: object;
}

/** The workspace that a command on the database must name, because no key implies it. */
export function requireNamed(workspace: string | undefined): string {
  if (workspace === undefined) throw new Error('Which workspace? See: wts workspace list');
  return workspace;
}

/** The error if the history has no version with this number. */
export function noVersion(workspace: string | undefined, number: number): Error {
  const named = workspace === undefined ? 'The workspace' : `Workspace "${workspace}"`;
  return new Error(`${named} has no version ${number}. See: wts history ${workspace ?? ''}`.trimEnd());
}

function printAll(versions: readonly ShownVersion[]): void {
  const rows = versions.map(({ version, applied_at, applied_by, changes }) => {
    const [first, ...others] = changes.map(renderChange);
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    return [String(version), applied_at, applied_by, `${first ?? ''}${more}`];
  });
  printTable(['VERSION', 'APPLIED', 'BY', 'CHANGES'], rows);
}

function printOne({ version, applied_at, applied_by, changes }: ShownVersion): void {
  print(`version ${version}, applied by ${applied_by} at ${applied_at}`);
  for (const change of changes) {
    print(`  ${renderChange(change)}`);
    for (const line of alterationLines(change, paintFor(process.stdout))) print(line);
  }
}

/** Parses the number of a version. */
export function parseVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be the number of a version.');
  return Number(text);
}
