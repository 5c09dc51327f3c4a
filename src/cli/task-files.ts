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
  /** Whether rows may change values that the definition reserves for actions. */
  readonly force?: boolean;
  /** Whether rules run for the rows. Required if the workflow has rules and the file has many rows. */
  readonly rules?: 'run' | 'skip';
}

export async function importTasks(file: string, options: ImportOptions): Promise<void> {
  const written = new Written();
  try {
    const path = resolve(callerFolder(), file);
    // The file must not be a pipe, because it is read twice.
    const found = await stat(path).catch(failing('it cannot be read'));
    if (!found.isFile()) throw new Error('it is not a file');
    await withDatabase((db) => importRows(db, path, options, written));
  } catch (error) {
    failing(file)(error);
  }
  print(written.summary);
  if (written.counts.error > 0) process.exitCode = 1;
}

/** Returns a handler that throws an error with `what` before the reason. */
const failing =
  (what: string) =>
  (error: unknown): never => {
    throw new Error(`${what}: ${reasonOf(error)}`, { cause: error });
  };

class Written {
  readonly counts = { rows: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, error: 0 };

  add(outcomes: readonly RowOutcome[]): void {
    for (const outcome of outcomes.toSorted((one, other) => one.row - other.row)) {
      const { row, status } = outcome;
      if (status === 'error') tell(`row ${row}: ${reasonOfRejection(outcome)}`);
      this.counts[status] += 1;
      this.counts.rows += 1;
    }
  }

  get summary(): string {
    const { rows, created, updated, unchanged, error } = this.counts;
    return `${plural(rows, 'row')}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${error} rejected`;
  }
}

/** Imports a file. Reads the whole file before the first write, to find errors in its structure first. */
async function importRows(
  db: EntityManager,
  path: string,
  { force: isForced = false, ...options }: ImportOptions,
  written: Written,
): Promise<void> {
  // An import shows no tasks, so it needs no template of `Task URL`.
  const { work, scope: opened } = await openWorkflow(db, options, '');
  // The events of an import share one request id.
  const scope = new Scope(opened.workflow, undefined, undefined, new Origin({ request: randomUUID() }));
  const { schema } = scope.workflow;
  checkCount(scope, options, await countRows(path, schema));
  const write = new BatchWriter(work).eachOf(options.rules === 'skip' ? scope.silenced() : scope);
  for await (const rows of readRows(path, schema)) {
    const outcomes: RowOutcome[] = [];
    const requests = isForced ? rows.map((row) => ({ ...row, from: 'action' as const })) : rows;
    try {
      await write(requests, outcomes).finally(() => { written.add(outcomes); }); // prettier-ignore
    } catch (error) {
      throw new Error(`${reasonOf(error)}. Written so far: ${written.summary}`, { cause: error });
    }
  }
}

/** If the workflow has rules and the file has more rows than this, the import needs the option `--rules`. */
const MAX_UNSAID_ROWS = 100;

function checkCount({ workflow }: Scope, { rules }: ImportOptions, count: number): void {
  if (rules === undefined && ruleLists.in(workflow).length > 0 && count > MAX_UNSAID_ROWS)
    throw new Error(
      `it has more than ${MAX_UNSAID_ROWS} rows, and each could start rules of workflow ${workflow.slug}: use --rules run, or --rules skip to start no rules and notify nobody`,
    );
}

export interface ExportTasksOptions extends WorkflowOptions {
  readonly format: 'ndjson' | 'csv';
  readonly links: boolean;
}

export async function writeTasks({ links, ...options }: ExportTasksOptions): Promise<void> {
  const { format } = options;
  await withDatabase(async (db) => {
    const { work, scope } = await openWorkflow(db, options, taskUrlOf(readConfig()));
    const texts = exportTasks(db, work, scope, { format, hasLinks: links });
    await pipeline(Readable.from(shown(texts)), process.stdout, { end: false });
  });
}

async function* shown(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield documentFor(process.stdout, text);
}
