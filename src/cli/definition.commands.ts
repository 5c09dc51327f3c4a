import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { type EntityManager } from 'typeorm';
import { callerFolder, readConfig } from '../config.js';
import { applyDefinition, DefinitionRefused } from '../workflows/definition/apply-definition.js';
import { checkDefinition } from '../workflows/definition/check/check-definition.js';
import {
  type Plan,
  knownSettingsOf,
  planDefinition,
  type PlanOptions,
} from '../workflows/definition/plan-definition.js';
import { formerDefinition } from '../workflows/definition/merge/rollback.js';
import { DefinitionFaults, type Fault, renderFault } from '../workflows/definition/source/faults.js';
import { readDefinition, type SourceDefinition } from '../workflows/definition/source/read-definition.js';
import { exportDefinition, renderYaml } from '../workflows/definition/source/write-yaml.js';
import { findFormer } from '../workflows/definition/store/history.js';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { kinds } from '../workflows/definition/kinds.js';
import { storedDefinition } from '../workflows/model/stored-definition.js';
import { loadDefinitionRows } from '../workflows/definition/store/load-rows.js';
import { keptLine, planJson, refusal, renderPlan } from './render-plan.js';
import { documentFor, paintFor, parseNumber, print, tell } from './terminal.js';
import { noWorkspace, withDatabase } from './with-database.js';

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
    new Command('rollback')
      .description('return a workspace to an earlier version of its history, in one transaction')
      .argument('<workspace>', idArgument)
      .requiredOption(
        '--to <version>',
        'the version, from the history in the console or by HTTP',
        parseNumber('It must be the number of a version.'),
      )
      .option('--allow-data-loss', 'allow the loss of data that the definition has no place for')
      .option('--dry-run', 'show what would be done, like plan; writes nothing')
      .addOption(authorOption())
      .option('--json', 'print JSON')
      .addHelpText('after', aboutRollback)
      .action(rollback),
    new Command('export')
      .description('print the definition of a workspace as YAML that `apply` and `validate` read')
      .argument('<workspace>', idArgument)
      .option('--json', 'print it as JSON')
      .action(exportWorkspace),
  ];
}

const idArgument = 'its id, from `workspace list`';
export const fileArgument = 'a YAML or JSON file; - reads standard input';

const aboutRollback = `
Elements renamed since then are renamed back, with their values. Elements added since then are removed, as by \`apply --prune\`:
users are deactivated. A field removed since then comes back blank: its values are gone. The result is a new version of the history, which can be rolled back, too.`;

function changing(name: string): Command {
  return new Command(name)
    .argument('<file>', fileArgument)
    .option('--prune', 'remove elements that the file does not name; users are deactivated')
    .option('--allow-data-loss', 'allow the loss of data that the new definition has no place for')
    .option('--fire-overdue', 'fire the rungs of clocks that the change makes overdue at once')
    .option('--json', 'print JSON');
}

function authorOption(): Option {
  return new Option('--author <name>', 'the author of the change, for the history').env('WTS_AUTHOR');
}

interface Printed {
  readonly json?: boolean;
}

interface ChangeOptions extends Printed {
  readonly prune?: boolean;
  readonly allowDataLoss?: boolean;
  readonly fireOverdue?: boolean;
  readonly author?: string;
}

async function validate(file: string, { json = false }: Printed): Promise<void> {
  await printingErrors(json, async () => {
    const source = await readSource(file);
    const warnings = check(source);
    if (!json) tellWarnings(warnings, source.file);
    print(json ? JSON.stringify({ valid: true, warnings }) : `${source.file} is valid`);
  });
}

function check(source: SourceDefinition): readonly Fault[] {
  try {
    // Only a warning, because the service that applies the definition may have a mail server.
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
    const source = await readSource(file);
    await withDatabase((db) => planFrom(db, source, options));
  });
}

async function apply(file: string, options: ChangeOptions): Promise<void> {
  await printingErrors(options.json, async () => {
    const source = await readSource(file);
    await withDatabase((db) => applyFrom(db, source, options));
  });
}

interface RollbackOptions extends ChangeOptions {
  readonly to: number;
  readonly dryRun?: boolean;
}

async function rollback(slug: string, { to, dryRun, ...rest }: RollbackOptions): Promise<void> {
  const options = { ...rest, prune: true };
  await printingErrors(options.json, () =>
    withDatabase(async (db) => {
      const workspace = await db.findOneBy(WorkspaceEntity, { slug });
      if (!workspace) throw await noWorkspace(db, slug);
      const found = await findFormer(db, workspace.id, to);
      if (!found) throw noVersion(slug, to);
      const source = formerDefinition(slug, found);
      await (dryRun ? planFrom(db, source, options) : applyFrom(db, source, options));
    }),
  );
}

async function planFrom(db: EntityManager, source: SourceDefinition, options: ChangeOptions): Promise<void> {
  const made = await planDefinition(db.dataSource, source, planOptionsOf(options));
  if (options.json) print(JSON.stringify(planJson(made, options.allowDataLoss === true)));
  else show(made, source.file, keptLine(made));
  if (!tellRefusal(made, options) && made.changes.length > 0) process.exitCode = 2;
}

function planOptionsOf({ prune = false }: ChangeOptions): PlanOptions {
  return { isPruning: prune, ...knownSettingsOf(readConfig()) };
}

async function applyFrom(db: EntityManager, source: SourceDefinition, options: ChangeOptions): Promise<void> {
  const { json = false, allowDataLoss = false, fireOverdue = false } = options;
  const shown: Plan[] = [];
  const work = applyDefinition(db.dataSource, source, {
    ...planOptionsOf(options),
    allowsDataLoss: allowDataLoss,
    firesOverdue: fireOverdue,
    author: options.author ?? systemUser(),
    onPlan: (made) => {
      // A retried transaction does not show its plan again.
      if (shown.push(made) === 1 && !json) show(made, source.file);
    },
  });
  const isApplied = await work.then(() => true, refusedOrThrow);
  const made = shown.at(-1);
  if (!made) throw new Error('an apply had no plan');
  if (json) print(JSON.stringify({ ...planJson(made, allowDataLoss), applied: isApplied }));
  else if (isApplied && made.changes.length > 0)
    print(`applied to workspace ${made.workspace}: version ${made.version + 1}`);
  tellRefusal(made, options);
}

function refusedOrThrow(error: unknown): boolean {
  if (!(error instanceof DefinitionRefused)) throw error;
  return false;
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, a user may be only a number.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
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

/** Says why a plan is refused, if it is refused; returns whether it is. */
function tellRefusal(made: Plan, { allowDataLoss = false }: ChangeOptions): boolean {
  const refused = refusal(made, allowDataLoss);
  if (refused === undefined) return false;
  tell(paintFor(process.stderr)('red', refused));
  process.exitCode = 1;
  return true;
}

async function exportWorkspace(slug: string, { json = false }: Printed): Promise<void> {
  const document = await withDatabase((db) =>
    // One snapshot, so that an apply in between cannot mix two versions.
    db.transaction('REPEATABLE READ', async (snapshot) => {
      const found = await snapshot.findOneBy(WorkspaceEntity, { slug });
      const rows = found && (await loadDefinitionRows(snapshot, found.id));
      if (!rows) throw await noWorkspace(snapshot, slug);
      return exportDefinition(storedDefinition(rows, kinds));
    }),
  );
  const text = json ? JSON.stringify(document, null, 2) : renderYaml(document);
  process.stdout.write(`${documentFor(process.stdout, text.trimEnd())}\n`);
}

function noVersion(slug: string, version: number): Error {
  return new Error(`Workspace "${slug}" has no version ${version}: its history in the console lists them.`);
}

/** Runs work; with --json, prints errors to standard output as `{"errors":[…]}`. */
async function printingErrors(isJson: boolean | undefined, work: () => Promise<void>): Promise<void> {
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

/** Reads a definition file, relative to the folder in which the command was typed; `-` is standard input. */
export async function readSource(named: string): Promise<SourceDefinition> {
  const file = named === '-' ? 'standard input' : named;
  const reading = named === '-' ? buffer(process.stdin) : readFile(resolve(callerFolder(), named));
  const bytes = await reading.catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return readDefinition(decode(bytes, file), file);
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file} is not UTF-8 text`);
  }
}
