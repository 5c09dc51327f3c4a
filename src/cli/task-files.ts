import { rules as ruleLists } from '../automation/rules/rules.kind.js';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type EntityManager } from 'typeorm';
import { callerFolder, readConfig } from '../config.js';
import { reasonOf } from '../common/errors.js';
import { Origin } from '../common/origin.js';
import { plural } from '../common/wording.js';
import { taskUrlOf } from '../common/public-address.js';
import { type RowOutcome } from '../tasks/batch/batch-row.js';
import { BatchWriter } from '../tasks/batch/batch-writer.js';
import { exportTasks } from '../tasks/list/export-tasks.js';
import { Scope } from '../workflows/model/scope.js';
import { countRows, readRows, reasonOfRejection } from './import-source.js';
import { openWorkflow, withDatabase, type WorkflowOptions } from './with-database.js';
import { documentFor, print, tell } from './terminal.js';

export interface ImportOptions extends WorkflowOptions {
  readonly raw?: boolean;
  /** Whether rows may change values that the definition reserves for actions. */
  readonly force?: boolean;
  /** Whether rules follow the import; required for many rows if the workflow has rules. */
  readonly rules?: 'run' | 'skip';
  /** The first row to import, counted from 1. An import that stopped has written the earlier ones. */
  readonly fromRow?: number;
}

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

/** Throws an error with these words before the reason. */
const failing =
  (what: string) =>
  (error: unknown): never => {
    throw new Error(`${what}: ${reasonOf(error)}`, { cause: error });
  };

class Written {
  readonly counts = { rows: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, error: 0 };
  /** Rows that failed before a row that was written. */
  private readonly skipped: number[] = [];

  constructor(private next = 1) {}

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

  /** Says which rows were written before a failure, and with which option to continue. */
  get whenStopped(): string {
    const skipped = this.skipped.length > 0 ? `; not written: row ${this.skipped.join(', ')}` : '';
    return `Written so far: ${this.summary}${skipped}. Go on with --from-row ${this.next}.`;
  }
}

/** Reads the whole file before the first write, so that faults in its structure are found first. */
async function importRows(
  db: EntityManager,
  path: string,
  { raw = false, force: isForced = false, fromRow = 1, ...options }: ImportOptions,
  written: Written,
): Promise<void> {
  // No values of tasks are shown, so the template of `Task URL` does not matter.
  const { work, scope: opened } = await openWorkflow(db, options, '');
  // The import counts as one request, so that the assignments of many rows make one notification.
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

/** An import of more rows than this must say whether rules follow it. */
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

export async function writeTasks({ links, raw = false, bom, ...options }: ExportTasksOptions): Promise<void> {
  const { format } = options;
  if (bom && format !== 'csv') throw new Error('--bom needs --format csv');
  await withDatabase(async (db) => {
    const { work, scope } = await openWorkflow(db, options, taskUrlOf(readConfig()));
    const texts = exportTasks(db, work, scope, { format, hasLinks: links, isRaw: raw });
    // By this mark, spreadsheets recognize UTF-8.
    if (bom) process.stdout.write('\ufeff');
    await pipeline(Readable.from(shown(texts)), process.stdout, { end: false });
  });
}

async function* shown(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield documentFor(process.stdout, text);
}
