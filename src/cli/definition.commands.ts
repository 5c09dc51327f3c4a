import { Command, Option } from 'commander';
import { type EntityManager } from 'typeorm';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { applyDefinition } from '../definitions/apply-definition.js';
import { checkDefinition } from '../definitions/check/check-definition.js';
import { type OnProgress, type Plan } from '../definitions/draft.js';
import { DefinitionRefused } from '../definitions/impact/effect.js';
import { knownSettingsOf, planDefinition, type PlanOptions } from '../definitions/plan-definition.js';
import { author, noWorkspace, withDatabase } from './with-database.js';
import { paintFor, print, tell, outOf, type ProgressBar, progressBar, documentFor } from './terminal.js';
import { planJson, refusal, renderPlan } from './render-plan.js';
import { exportDefinition, renderYaml } from '../definitions/source/write-yaml.js';
import { type Made, type RemoteOptions, remoteOf, withRemote } from './over-http.js';
import { type JsonMapping } from '../workspace/definition-reader.js';
import { storedDefinition, loadWorkspaceRows, type WorkspaceRows } from '../workspace/workspace-rows.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { historyCommand, requireNamed } from './history.command.js';
import { driftText, keptLine, overtaken, undrifted } from './drift.js';
import { DefinitionFaults, type Fault, renderFault } from '../definitions/source/faults.js';
import { callerFolder, readConfig } from '../config.js';
import { readDefinition, type SourceDefinition } from '../definitions/source/read-definition.js';

/** `wts validate`, `wts plan`, `wts apply` and `wts history` */
export function definitionCommands(): Command[] {
  return [
    new Command('validate')
      .description('check a definition file on its own, without a database')
      .argument('<file>', fileArgument)
      .option('--json', 'print JSON')
      .action(validate),
    changing('plan')
      .description('show what apply would do, and to how many tasks; writes nothing')
      .addHelpText(
        'after',
        '\nExit status: 0 without changes, 2 with changes, 1 on errors or if apply would refuse.',
      )
      .action(plan),
    changing('apply')
      .description('change a workspace to match the file, in one transaction; elements not named stay')
      .addOption(authorOption())
      .action(apply),
    historyCommand(),
  ];
}

/** The description of the definition file in the help of commands. */
export const fileArgument = 'a YAML or JSON file; - reads standard input';

function changing(name: string): Command {
  return withRemote(new Command(name))
    .argument('<file>', fileArgument)
    .option('--prune', 'remove elements that the file does not name; users are deactivated')
    .option('--allow-data-loss', 'allow the loss of data that the new definition has no place for')
    .option('--fire-overdue', 'fire the rungs of clocks that the change makes overdue at once')
    .option('--base <file>', 'the file before this change; changes applied since are reported as drift')
    .option('--json', 'print JSON');
}

/** The author that the history names. */
export function authorOption(): Option {
  return new Option('--author <name>', 'the author of the change, for the history').env('WTS_AUTHOR');
}

/** The options of `apply` and similar commands. */
export interface ChangeOptions extends RemoteOptions {
  readonly prune?: boolean;
  readonly allowDataLoss?: boolean;
  readonly fireOverdue?: boolean;
  readonly base?: string;
  readonly author?: string;
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
    // Only a warning: the service that applies it may have a mail server.
    const mail = readConfig().smtpUrl === undefined ? 'warning' : undefined;
    return checkDefinition(source.definition, source, false, { mail });
  } catch (error) {
    if (!(error instanceof DefinitionFaults) || source.faults.length > 0) throw error;
    const hint = 'If the file holds only changes to an existing workspace, check it with `plan`, which knows the rest.'; // prettier-ignore
    throw new Error(`${error.message}\n${hint}`, { cause: error });
  }
}

async function plan(file: string, options: ChangeOptions): Promise<void> {
  await printingErrors(options.json, async () => {
    const [read, base] = await readBoth(file, options);
    const remote = remoteOf(options);
    if (!remote) return planFrom(() => read.source, options, base?.source);
    const planOf = (one: ReadFile): Promise<Plan> => remote.plan({ ...one, options });
    const made = await planOf(read);
    showPlanned(made, read.file, options, base && { file: base.file, plan: await planOf(base) });
  });
}

async function readBoth(file: string, { base }: ChangeOptions): Promise<[ReadFile, ReadFile | undefined]> {
  return [await readSource(file), base === undefined ? undefined : await readSource(base)];
}

/** A definition that was read from a file, or is read from the database. */
type Find = (db: EntityManager) => SourceDefinition | Promise<SourceDefinition>;

/** Shows what applying a definition would change, and what was applied since its base. */
export async function planFrom(find: Find, asked: ChangeOptions, base?: SourceDefinition): Promise<void> {
  const bar = progressBar();
  const options = optionsOf(asked, bar);
  const { made, file, before } = await withDatabase(async (db) => {
    const source = await find(db);
    const planOf = (one: SourceDefinition): Promise<Plan> => planDefinition(db.dataSource, one, options);
    return { made: await planOf(source), before: base && (await planOf(base)), file: source.file };
  }).finally(bar.clear);
  showPlanned(made, file, asked, base && before && { file: base.file, plan: before });
}

function optionsOf({ prune }: ChangeOptions, bar: ProgressBar): PlanOptions {
  return { isPruning: prune === true, ...knownSettingsOf(readConfig()), onProgress: movesOn(bar) };
}

/** The plan of the base file; it has no changes unless the definition in force has drifted. */
interface BasePlan {
  readonly file: string;
  readonly plan: Plan;
}

export function showPlanned(
  made: Plan,
  file: string,
  { allowDataLoss = false, json = false }: ChangeOptions,
  base?: BasePlan,
): void {
  const drift = base && made.changes.length > 0 ? base.plan.changes : [];
  if (json) print(JSON.stringify({ ...planJson(made, allowDataLoss), ...(base && { drift }) }));
  else show(made, file, keptLine(made, base?.plan));
  if (base && drift.length > 0 && !json) tell(driftText(base.file, base.plan));
  const refused = refusal(made, allowDataLoss);
  if (refused !== undefined) fail(refused);
  else if (made.changes.length > 0) process.exitCode = 2;
}

async function apply(file: string, options: ChangeOptions): Promise<void> {
  await printingErrors(options.json, async () => {
    const [read, base] = await readBoth(file, options);
    const remote = remoteOf(options);
    if (!remote) return applyFrom(() => read.source, options, base?.source);
    const planOf = (one: ReadFile): Promise<Plan> => remote.plan({ ...one, options });
    const version = base && (await undrifted(base, read, planOf));
    showMade(await remote.apply({ ...read, options, version }), read.file, options);
  });
}

/** Shows a plan that a service has applied or refused. */
export function showMade({ made, isApplied }: Made, file: string, options: ChangeOptions): void {
  if (!options.json) show(made, file);
  showApplied(made, isApplied, options);
}

/** Applies a definition and shows the result. With a base, applies only if the definition in force equals it. */
export async function applyFrom(find: Find, options: ChangeOptions, base?: SourceDefinition): Promise<void> {
  const bar = progressBar();
  const shown: Plan[] = [];
  const planOptions = optionsOf(options, bar);
  const work = withDatabase(async (db) => {
    const source = await find(db);
    const planOf = (one: SourceDefinition): Promise<Plan> => planDefinition(db.dataSource, one, planOptions);
    const judged = base && (await undrifted(base, source, planOf));
    const onPlan = (made: Plan): void => {
      bar.clear();
      // A transaction that is retried shows its plan only once.
      if (shown.push(made) === 1 && !options.json) show(made, source.file);
    };
    return applyDefinition(db.dataSource, source, {
      ...planOptions,
      allowsDataLoss: options.allowDataLoss === true,
      firesOverdue: options.fireOverdue === true,
      author: options.author ?? author(),
      onLocked: ({ version }) => {
        if (judged !== undefined && version !== judged) throw overtaken();
      },
      onPlan,
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

function show(made: Plan, file: string, kept?: string): void {
  if (made.changes.length === 0) print(`no changes: workspace ${made.workspace} is up to date`);
  else for (const line of renderPlan(made, paintFor(process.stdout))) print(line);
  if (kept !== undefined) print(kept);
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
    .argument('[workspace]', 'its id, from `workspace list`; with --url, default: that of the key')
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
  const named = requireNamed(slug);
  const rows = await withDatabase((db) =>
    // A snapshot, so that an apply in between does not mix two versions.
    db.transaction('REPEATABLE READ', (snapshot) => findRows(snapshot, named)),
  );
  return exportDefinition(storedDefinition(rows));
}

async function findRows(db: EntityManager, slug: string): Promise<WorkspaceRows> {
  const workspace = await db.findOneBy(WorkspaceEntity, { slug });
  const rows = workspace && (await loadWorkspaceRows(db, workspace.id));
  if (!rows) throw await noWorkspace(db, slug);
  return rows;
}

/** Runs work; with --json, prints errors to standard output as `{"errors":[…]}`. */
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

/** A definition file, with its text. */
export interface ReadFile {
  readonly file: string;
  readonly source: SourceDefinition;
  readonly text: string;
}

/** Reads a definition file, relative to the folder in which the command was typed; `-` is standard input. */
export async function readSource(named: string): Promise<ReadFile> {
  const file = named === '-' ? 'standard input' : named;
  const reading = named === '-' ? buffer(process.stdin) : readFile(resolve(callerFolder(), named));
  const bytes = await reading.catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const text = decode(bytes, file);
  return { file, source: readDefinition(text, file), text };
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file} is not UTF-8 text`);
  }
}
