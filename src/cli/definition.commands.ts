import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { reasonOf } from '../common/errors.js';
import { callerFolder, readConfig } from '../config.js';
import { applyDefinition, DefinitionRefused } from '../workflows/definition/apply-definition.js';
import { checkDefinition } from '../workflows/definition/check/check-definition.js';
import {
  type Plan,
  knownSettingsOf,
  planDefinition,
  type PlanOptions,
} from '../workflows/definition/plan-definition.js';
import { DefinitionFaults } from '../workflows/definition/source/faults.js';
import { readDefinition, type SourceDefinition } from '../workflows/definition/source/read-definition.js';
import { exportDefinition, renderYaml } from '../workflows/definition/source/write-yaml.js';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { kinds } from '../workflows/definition/kinds.js';
import { storedDefinition } from '../workflows/model/stored-definition.js';
import { loadDefinitionRows } from '../workflows/definition/store/load-rows.js';
import { keptLine, refusal, renderPlan } from './render-plan.js';
import { documentFor, paintFor, print, tell } from './terminal.js';
import { noWorkspace, withDatabase } from './with-database.js';

export function definitionCommands(): Command[] {
  return [
    new Command('validate')
      .description('check a definition file on its own, without a database')
      .argument('<file>', fileArgument)
      .action(validate),
    changing('plan')
      .description('show what apply would do, and to how many tasks; writes nothing')
      .addHelpText(
        'after',
        '\nExit status: 0 without changes, 2 with changes, 1 on errors or if apply would refuse.',
      )
      .action(plan),
    changing('apply')
      .description('change a workspace to match the file, in one transaction; elements not in the file stay')
      .addOption(new Option('--author <name>', 'the author of the change, for the history').env('WTS_AUTHOR'))
      .option('--if-version <number>', 'apply only if this version, as shown by plan, is still in force')
      .action(apply),
    new Command('export')
      .description('print the definition of a workspace as YAML that `apply` and `validate` read')
      .argument('<workspace>', idArgument)
      .option('--json', 'print it as JSON')
      .action(exportWorkspace),
  ];
}

const idArgument = 'its id, from `workspace list`';
export const fileArgument = 'a YAML or JSON file; - reads standard input';

function changing(name: string): Command {
  return new Command(name)
    .argument('<file>', fileArgument)
    .option('--prune', 'remove elements that the file does not name; users are only deactivated')
    .option('--allow-data-loss', 'allow the loss of data that the new definition cannot hold');
}

interface ChangeOptions {
  readonly prune?: boolean;
  readonly allowDataLoss?: boolean;
  readonly author?: string;
  readonly ifVersion?: string;
}

async function validate(file: string): Promise<void> {
  const source = await readSource(file);
  check(source);
  print(`${source.file} is valid`);
}

function check(source: SourceDefinition): void {
  try {
    checkDefinition(source.definition, source);
  } catch (error) {
    if (!(error instanceof DefinitionFaults) || source.faults.length > 0) throw error;
    const hint = 'If the file holds only changes to an existing workspace, check it with `plan`, which knows the rest.'; // prettier-ignore
    throw new Error(`${error.message}\n${hint}`, { cause: error });
  }
}

async function plan(file: string, options: ChangeOptions): Promise<void> {
  const source = await readSource(file);
  const made = await withDatabase((db) => planDefinition(db.dataSource, source, planOptionsOf(options)));
  show(made, source);
  if (!tellRefusal(made, options) && made.changes.length > 0) process.exitCode = 2;
}

function planOptionsOf({ prune = false }: ChangeOptions): PlanOptions {
  return { isPruning: prune, ...knownSettingsOf(readConfig()) };
}

async function apply(file: string, options: ChangeOptions): Promise<void> {
  const { allowDataLoss = false, author = systemUser(), ifVersion } = options;
  const source = await readSource(file);
  const change = {
    ...planOptionsOf(options),
    allowsDataLoss: allowDataLoss,
    author,
    onLocked: ({ version }: WorkspaceEntity) => {
      if (ifVersion !== undefined && ifVersion !== String(version))
        throw new Error(`version ${version} is in force, not ${ifVersion}: plan again`);
    },
  };
  const made = await withDatabase((db) => applyDefinition(db.dataSource, source, change)).catch(
    planOfRefused,
  );
  show(made, source);
  if (!tellRefusal(made, options) && made.changes.length > 0)
    print(`applied to workspace ${made.workspace}: version ${made.version + 1}`);
}

function planOfRefused(error: unknown): Plan {
  if (!(error instanceof DefinitionRefused)) throw error;
  return error.plan;
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the user may have only a number.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

function show(made: Plan, { definition }: SourceDefinition): void {
  if (made.changes.length === 0) print(`no changes: workspace ${made.workspace} is up to date`);
  else for (const line of renderPlan(made, paintFor(process.stdout))) print(line);
  const kept = keptLine(made, definition);
  if (kept !== undefined) print(kept);
}

/** Prints why a plan is refused; returns whether it is refused. */
function tellRefusal(made: Plan, { allowDataLoss = false }: ChangeOptions): boolean {
  const refused = refusal(made, allowDataLoss);
  if (refused === undefined) return false;
  tell(paintFor(process.stderr)('red', refused));
  process.exitCode = 1;
  return true;
}

async function exportWorkspace(slug: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const document = await withDatabase((db) =>
    // Reads one snapshot, so that the export does not mix two versions if an `apply` runs meanwhile.
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

/** Reads a definition file; `-` is standard input. The path is relative to the folder of the user's shell. */
export async function readSource(named: string): Promise<SourceDefinition> {
  const file = named === '-' ? 'standard input' : named;
  const reading = named === '-' ? buffer(process.stdin) : readFile(resolve(callerFolder(), named));
  const bytes = await reading.catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${reasonOf(error)}`);
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
