import { Command, InvalidArgumentError, Option } from 'commander';
import { TaskEntity } from '../tasks/store/task.entity.js';
import { forgetTask } from '../events/events.repository.js';
import { confirm, print, documentFor, tell } from './terminal.js';
import { withDatabase, workspaceNamed, openWorkflow, type WorkflowOptions } from './with-database.js';
import { rules as ruleLists } from '../automation/rules/rules.kind.js';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type EntityManager } from 'typeorm';
import { callerFolder, readConfig } from '../config.js';
import { Origin } from '../common/origin.js';
import { plural } from '../common/wording.js';
import { taskUrlOf } from '../common/public-address.js';
import { type RowOutcome } from '../tasks/batch/batch-row.js';
import { BatchWriter } from '../tasks/batch/batch-writer.js';
import { exportTasks } from '../tasks/list/export-tasks.js';
import { Scope } from '../workflows/model/scope.js';
import { countRows, readRows, reasonOfRejection } from './import-source.js';

/** `wts import`, `wts export-tasks` and `wts task forget` */
export function taskCommands(): Command[] {
  const task = new Command('task').description('erase the events of a task');
  task
    .command('forget')
    .description('erase the events of a deleted task, as a law may require')
    .argument('<id>', 'the id of the task: the last part of its Task URL', parseId)
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--yes', 'do not ask for confirmation')
    .action(forget);
  return [importCommand(), exportCommand(), task];
}

function importCommand(): Command {
  return new Command('import')
    .description('create or update the tasks of a file, each row as by a POST; refused rows are left out')
    .argument('<file>', 'a .csv file whose first row names the fields, or lines of JSON')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--workflow <id>', 'the workflow')
    .option('--from-row <row>', 'begin with this row, after an import that stopped midway', parseRow)
    .option('--raw', 'take cells of CSV as they are, including an apostrophe before a formula')
    .option('--force', 'also write stages, fields and relationships that only actions may change')
    .addOption(
      new Option(
        '--rules <rules>',
        'run: the rules of the workflow follow the rows; skip: no rule does, and nobody is notified',
      ).choices(['run', 'skip']),
    )
    .action(async (file: string, options: ImportOptions) => {
      // Loaded late because it loads Nest, which no other command needs.
      const { importTasks } = await import('./task.commands.js');
      await importTasks(file, options);
    });
}

function exportCommand(): Command {
  return new Command('export-tasks')
    .description('write all tasks of a workflow to standard output')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--workflow <id>', 'the workflow')
    .addOption(
      new Option('--format <format>', 'lines of JSON, or CSV').choices(['ndjson', 'csv']).default('ndjson'),
    )
    .option('--no-links', 'omit links')
    .option('--bom', 'begin CSV with a byte order mark, by which spreadsheets know UTF-8')
    .option('--raw', 'write texts as they are, even if a spreadsheet would run them as formulas')
    .action(async (options: ExportTasksOptions) => {
      const { writeTasks } = await import('./task.commands.js');
      await writeTasks(options);
    });
}

function parseRow(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1.');
  return Number(text);
}

function parseId(text: string): string {
  if (/^[\w-]{8,64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the last part of a Task URL.');
}

async function forget(
  publicId: string,
  { workspace, ...options }: { readonly workspace: string; readonly yes?: true },
): Promise<void> {
  await withDatabase(async (db) => {
    const { id: workspaceId } = await db.transaction((tx) => workspaceNamed(tx, workspace));
    if (await db.existsBy(TaskEntity, { workspaceId, publicId }))
      throw new Error('The task still exists, and its history shows its events. Delete it first.');
    if (await confirm(`This erases all events of the task ${publicId} for good.`, options))
      print(`erased ${await forgetTask(db, workspaceId, publicId)} events of the task ${publicId}`);
    else print('nothing was erased');
  });
}

export interface ImportOptions extends WorkflowOptions {
  readonly raw?: boolean;
  /** Whether rows may change values that the definition reserves for actions. */
  readonly force?: boolean;
  /** Whether rules follow the import; required for many rows if the workflow has rules. */
  readonly rules?: 'run' | 'skip';
  /** The first row to import, counted from 1; earlier ones were written by an import that stopped. */
  readonly fromRow?: number;
}

/** Creates or updates tasks from a file with one task per row. */
export async function importTasks(file: string, options: ImportOptions): Promise<void> {
  const written = new Written(options.fromRow);
  try {
    const path = resolve(callerFolder(), file);
    // The file is read twice, so it cannot be a pipe.
    const found = await stat(path).catch(failing('it cannot be read'));
    if (!found.isFile()) throw new Error('it is not a file');
    await withDatabase((db) => importRows(db, path, options, written));
  } catch (error) {
    failing(file)(error);
  }
  print(written.summary);
  if (written.counts.error > 0) process.exitCode = 1;
}

/** Throws with these words before the reason. */
const failing =
  (what: string) =>
  (error: unknown): never => {
    throw new Error(`${what}: ${reasonOf(error)}`, { cause: error });
  };

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The rows that an import has written so far. */
class Written {
  readonly counts = { rows: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, error: 0 };
  /** Rows that failed although later ones were written. */
  private readonly skipped: number[] = [];

  constructor(private next = 1) {}

  /** Adds outcomes, and tells why rows were rejected. */
  add(outcomes: readonly RowOutcome[]): void {
    for (const outcome of outcomes.toSorted((one, other) => one.row - other.row)) {
      const { row, status } = outcome;
      if (status === 'error') tell(`row ${row}: ${reasonOfRejection(outcome)}`);
      this.counts[status] += 1;
      this.counts.rows += 1;
      while (this.next < row) this.skipped.push(this.next++);
      this.next = row + 1;
    }
  }

  get summary(): string {
    const { rows, created, updated, unchanged, error } = this.counts;
    return `${plural(rows, 'row')}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${error} rejected`;
  }

  /** Says which rows were written before a failure, and with which option the import goes on. */
  get whenStopped(): string {
    const skipped = this.skipped.length > 0 ? `; not written: row ${this.skipped.join(', ')}` : '';
    return `Written so far: ${this.summary}${skipped}. Go on with --from-row ${this.next}.`;
  }
}

/** Reads the whole file before the first write, so that no fault of its structure is found midway. */
async function importRows(
  db: EntityManager,
  path: string,
  { raw = false, force: isForced = false, fromRow = 1, ...options }: ImportOptions,
  written: Written,
): Promise<void> {
  // No values of the tasks are shown, so their addresses are not needed.
  const { work, scope: opened } = await openWorkflow(db, options, '');
  // One request: the assignments of many rows make one notification.
  const scope = new Scope(opened.workflow, undefined, undefined, new Origin({ request: randomUUID() }));
  const { schema } = scope.workflow;
  checkCount(scope, options, await countRows(path, schema), fromRow);
  const write = new BatchWriter(work).eachOf(options.rules === 'skip' ? scope.silenced() : scope);
  for await (const all of readRows(path, schema, raw)) {
    const rows = all.filter(({ row }) => row >= fromRow);
    const outcomes: RowOutcome[] = [];
    const requests = isForced ? rows.map((row) => ({ ...row, from: 'action' as const })) : rows;
    try {
      await write(requests, outcomes).finally(() => { written.add(outcomes); }); // prettier-ignore
    } catch (error) {
      throw new Error(`${reasonOf(error)}. ${written.whenStopped}`, { cause: error });
    }
  }
}

/** An import of more rows must say whether rules follow it. */
const MAX_UNSAID_ROWS = 100;

function checkCount({ workflow }: Scope, { rules }: ImportOptions, total: number, fromRow: number): void {
  const count = total - fromRow + 1;
  if (count < 1 && total > 0) throw new Error(`it has only ${plural(total, 'row')}`);
  if (rules === undefined && ruleLists.in(workflow).length > 0 && count > MAX_UNSAID_ROWS)
    throw new Error(
      `it has more than ${MAX_UNSAID_ROWS} rows, and the rules of workflow ${workflow.slug} would follow each of them: use --rules run, or --rules skip to start no rules and notify nobody`,
    );
}

export interface ExportTasksOptions extends WorkflowOptions {
  readonly format: 'ndjson' | 'csv';
  readonly links: boolean;
  readonly raw?: boolean;
  readonly bom?: true;
}

/** Writes all tasks of a workflow to standard output. */
export async function writeTasks({ links, raw = false, bom, ...options }: ExportTasksOptions): Promise<void> {
  const { format } = options;
  if (bom && format !== 'csv') throw new Error('--bom needs --format csv');
  await withDatabase(async (db) => {
    const { work, scope } = await openWorkflow(db, options, taskUrlOf(readConfig()));
    const texts = exportTasks(db, work, scope, { format, hasLinks: links, isRaw: raw });
    // Spreadsheets know UTF-8 by it.
    if (bom) process.stdout.write('\ufeff');
    await pipeline(Readable.from(shown(texts)), process.stdout, { end: false });
  });
}

async function* shown(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield documentFor(process.stdout, text);
}
