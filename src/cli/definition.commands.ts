import { Command, InvalidArgumentError } from 'commander';
import { type EntityManager } from 'typeorm';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { applyDefinition } from '../definitions/apply-definition.js';
import { checkDefinition } from '../definitions/check/check-definition.js';
import { type OnProgress, type Plan } from '../definitions/draft.js';
import { DefinitionRefused } from '../definitions/impact/effect.js';
import { knownSettingsOf, planDefinition } from '../definitions/plan-definition.js';
import { author, noWorkspace, withDatabase } from './with-database.js';
import {
  paintFor,
  print,
  tell,
  outOf,
  type ProgressBar,
  progressBar,
  documentFor,
  printTable,
} from './terminal.js';
import { alterationLines, planJson, refusal, renderPlan } from './render-plan.js';
import { exportDefinition, renderYaml } from '../definitions/source/write-yaml.js';
import { type RemoteOptions, remoteOf, withRemote } from './over-http.js';
import { type JsonMapping } from '../workspace/definition-reader.js';
import { storedDefinition, loadWorkspaceRows, type WorkspaceRows } from '../workspace/workspace-rows.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { type DefinitionVersionEntity } from '../entities/definition-version.entity.js';
import { renderChange } from '../definitions/merge/diff.js';
import { findHistory } from '../definitions/store/history.js';
import { DefinitionFaults, type Fault, renderFault } from '../definitions/source/faults.js';
import { callerFolder, readConfig } from '../config.js';
import { readDefinition, type SourceDefinition } from '../definitions/source/read-definition.js';

/** `wts validate`, `wts plan`, `wts apply` and `wts history` */
export function definitionCommands(): Command[] {
  return [
    new Command('validate')
      .description('check a definition file on its own, without a database')
      .argument('<file>', fileArgument)
      .option('--json', 'print for machines')
      .action(validate),
    changing('plan')
      .description('show what apply would do, and to how many tasks; writes nothing')
      .addHelpText(
        'after',
        '\nEnds with 0 without changes, 2 with changes, 1 on errors and when apply would refuse.',
      )
      .action(plan),
    changing('apply')
      .description('make a workspace what the file says, in one transaction; what it does not name stays')
      .action(apply),
    historyCommand(),
  ];
}

/** What a command says of the definition file that it reads. */
export const fileArgument = 'a YAML or JSON file; - reads standard input';

function changing(name: string): Command {
  return withRemote(new Command(name))
    .argument('<file>', fileArgument)
    .option('--prune', 'remove what the file does not name; users are deactivated')
    .option('--allow-data-loss', 'lose what the new definition has no place for')
    .option('--fire-overdue', 'let clocks that this makes overdue at once do what they say')
    .option('--json', 'print for machines');
}

/** What `apply` and its like may be told. */
export interface ChangeOptions extends RemoteOptions {
  readonly prune?: boolean;
  readonly allowDataLoss?: boolean;
  readonly fireOverdue?: boolean;
  readonly json?: boolean;
}

async function validate(file: string, { json = false }: Pick<ChangeOptions, 'json'>): Promise<void> {
  await printingErrors(json, async () => {
    const { source } = await readSource(file);
    const warnings = check(source);
    if (!json) tellWarnings(warnings, source.file);
    print(json ? JSON.stringify({ valid: true, warnings }) : `${source.file} is valid`);
  });
}

function check(source: SourceDefinition): readonly Fault[] {
  try {
    // Where it is applied there may be one.
    const mail = readConfig().smtpUrl === undefined ? 'warning' : undefined;
    return checkDefinition(source.definition, source, false, { mail });
  } catch (error) {
    if (!(error instanceof DefinitionFaults) || source.faults.length > 0) throw error;
    const hint = 'If the file holds only changes to a workspace that is there, check it by `plan`, which knows the rest.'; // prettier-ignore
    throw new Error(`${error.message}\n${hint}`, { cause: error });
  }
}

async function plan(file: string, options: ChangeOptions): Promise<void> {
  await printingErrors(options.json, async () => {
    const { source, text } = await readSource(file);
    const remote = remoteOf(options);
    if (remote) showPlanned(await remote.plan({ text, file: source.file, options }), source.file, options);
    else await planFrom(() => source, options);
  });
}

/** A definition that is read already, or that the database keeps. */
type Find = (db: EntityManager) => SourceDefinition | Promise<SourceDefinition>;

/** Shows what applying a definition would do. */
export async function planFrom(find: Find, asked: ChangeOptions): Promise<void> {
  const bar = progressBar();
  const known = knownSettingsOf(readConfig());
  const { made, file } = await withDatabase(async (db) => {
    const source = await find(db);
    const options = { isPruning: asked.prune === true, ...known, onProgress: movesOn(bar) };
    return { made: await planDefinition(db.dataSource, source, options), file: source.file };
  }).finally(bar.clear);
  showPlanned(made, file, asked);
}

function showPlanned(made: Plan, file: string, { allowDataLoss = false, json = false }: ChangeOptions): void {
  if (json) print(JSON.stringify(planJson(made, allowDataLoss)));
  else show(made, file);
  const refused = refusal(made, allowDataLoss);
  if (refused !== undefined) fail(refused);
  else if (made.changes.length > 0) process.exitCode = 2;
}

async function apply(file: string, options: ChangeOptions): Promise<void> {
  await printingErrors(options.json, async () => {
    const { source, text } = await readSource(file);
    const remote = remoteOf(options);
    if (!remote) return applyFrom(() => source, options);
    const { made, isApplied } = await remote.apply({ text, file: source.file, options });
    if (!options.json) show(made, source.file);
    showApplied(made, isApplied, options);
  });
}

/** Applies a definition, and shows what that does. */
export async function applyFrom(find: Find, options: ChangeOptions): Promise<void> {
  const bar = progressBar();
  const shown: Plan[] = [];
  const known = knownSettingsOf(readConfig());
  const work = withDatabase(async (db) => {
    const source = await find(db);
    const onPlan = (made: Plan): void => {
      bar.clear();
      // A transaction that is begun anew shows its plan once.
      if (shown.push(made) === 1 && !options.json) show(made, source.file);
    };
    return applyDefinition(db.dataSource, source, {
      isPruning: options.prune === true,
      allowsDataLoss: options.allowDataLoss === true,
      firesOverdue: options.fireOverdue === true,
      author: author(),
      ...known,
      onPlan,
      onProgress: movesOn(bar),
    });
  }).finally(bar.clear);
  const isApplied = await work.then(() => true, refusedOrThrow);
  const made = shown.at(-1);
  if (!made) throw new Error('an apply had no plan');
  showApplied(made, isApplied, options);
}

function showApplied(
  made: Plan,
  isApplied: boolean,
  { allowDataLoss = false, json = false }: ChangeOptions,
): void {
  if (json) print(JSON.stringify({ ...planJson(made, allowDataLoss), applied: isApplied }));
  else if (isApplied && made.changes.length > 0)
    print(`applied to workspace ${made.workspace}: version ${made.version + 1}`);
  const refused = refusal(made, allowDataLoss);
  if (refused !== undefined) fail(refused);
}

function movesOn(bar: ProgressBar): OnProgress {
  return ({ task, done, total }) => {
    bar.show(total === 0 ? 1 : done / total, `${task}, ${outOf(done, total, 'tasks')}`);
  };
}

function refusedOrThrow(error: unknown): boolean {
  if (!(error instanceof DefinitionRefused)) throw error;
  return false;
}

function show(made: Plan, file: string): void {
  if (made.changes.length === 0) print(`no changes: workspace ${made.workspace} is up to date`);
  else for (const line of renderPlan(made, paintFor(process.stdout))) print(line);
  tellWarnings(made.warnings, file);
}

function tellWarnings(warnings: readonly Fault[], file: string): void {
  for (const warning of warnings)
    tell(`${paintFor(process.stderr)('yellow', 'warning:')} ${renderFault(file, warning)}`);
}

function fail(message: string): void {
  tell(paintFor(process.stderr)('red', message));
  process.exitCode = 1;
}

/** `wts export` */
export function exportCommand(): Command {
  return withRemote(new Command('export'))
    .description('print the definition of a workspace as YAML that `apply` and `validate` read')
    .argument('[workspace]', 'its id, as `workspace list` shows it; with --url that of the key')
    .option('--json', 'print it as JSON')
    .action(exportWorkspace);
}

async function exportWorkspace(
  slug: string | undefined,
  { json = false, ...options }: Pick<ChangeOptions, 'json'> & RemoteOptions,
): Promise<void> {
  const remote = remoteOf(options);
  const document = remote ? await remote.read(slug) : await storedDocument(slug);
  const text = json ? JSON.stringify(document, null, 2) : renderYaml(document);
  process.stdout.write(`${documentFor(process.stdout, text.trimEnd())}\n`);
}

async function storedDocument(slug: string | undefined): Promise<JsonMapping> {
  if (slug === undefined) throw new Error('Which workspace? See: wts workspace list');
  const rows = await withDatabase((db) =>
    // One snapshot, whatever is applied meanwhile.
    db.transaction('REPEATABLE READ', (snapshot) => findRows(snapshot, slug)),
  );
  return exportDefinition(storedDefinition(rows));
}

async function findRows(db: EntityManager, slug: string): Promise<WorkspaceRows> {
  const workspace = await db.findOneBy(WorkspaceEntity, { slug });
  const rows = workspace && (await loadWorkspaceRows(db, workspace.id));
  if (!rows) throw await noWorkspace(db, slug);
  return rows;
}

/** `wts history` */
function historyCommand(): Command {
  return new Command('history')
    .description('show every definition that was applied to a workspace, newest first')
    .argument('<workspace>', 'its id')
    .option('--of <version>', 'show all changes of one version', parseVersion)
    .option('--json', 'print for machines; of one version, with the whole definition')
    .action(history);
}

interface HistoryOptions {
  readonly of?: number;
  readonly json?: boolean;
}

async function history(workspace: string, { of: wanted, json = false }: HistoryOptions): Promise<void> {
  const versions = await withDatabase((db) => versionsOf(db, workspace));
  if (wanted === undefined) {
    if (json) print(JSON.stringify(versions.map(summary)));
    else printAll(versions);
    return;
  }
  const version = findVersionIn(versions, workspace, wanted);
  if (json) print(JSON.stringify({ ...summary(version), definition: version.definition }));
  else printOne(version);
}

/** The history of a workspace, newest first; throws where there is no such workspace. */
export async function versionsOf(db: EntityManager, workspace: string): Promise<DefinitionVersionEntity[]> {
  const versions = await findHistory(db, workspace);
  if (!versions) throw await noWorkspace(db, workspace);
  return versions;
}

/** One version of a workspace's history; throws where it has none of this number. */
export function findVersionIn(
  versions: readonly DefinitionVersionEntity[],
  workspace: string,
  number: number,
): DefinitionVersionEntity {
  const found = versions.find(({ version }) => version === number);
  if (!found)
    throw new Error(`Workspace "${workspace}" has no version ${number}. See: wts history ${workspace}`);
  return found;
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
  for (const change of changes) {
    print(`  ${renderChange(change)}`);
    for (const line of alterationLines(change, paintFor(process.stdout))) print(line);
  }
}

/** The number of a version, as an option. */
export function parseVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be the number of a version.');
  return Number(text);
}

/** Does the work; where it fails and machines listen, tells them why on standard output: `{"errors":[…]}`. */
export async function printingErrors(isJson: boolean | undefined, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isJson) throw error;
    print(JSON.stringify({ errors: errorsOf(error) }));
    process.exitCode = 1;
  }
}

function errorsOf(error: unknown): readonly object[] {
  const refused = error instanceof Error && error.cause ? error.cause : error;
  if (refused instanceof DefinitionFaults) return refused.faults;
  return [{ message: error instanceof Error ? error.message : String(error) }];
}

/** Reads a definition file that a command names, from the folder that it was typed in; `-` is standard input. */
export async function readSource(named: string): Promise<{ source: SourceDefinition; text: string }> {
  const file = named === '-' ? 'standard input' : named;
  const reading = named === '-' ? buffer(process.stdin) : readFile(resolve(callerFolder(), named));
  const bytes = await reading.catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const text = decode(bytes, file);
  return { source: readDefinition(text, file), text };
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file} is not a text in UTF-8`);
  }
}
