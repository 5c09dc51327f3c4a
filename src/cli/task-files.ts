import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { type EntityManager } from 'typeorm';
import { callerFolder, readConfig } from '../config.js';
import { Origin } from '../database/origin.js';
import { analyzeNewTables } from '../database/statistics.js';
import { gather } from '../lib/streams.js';
import { taskUrlOf } from '../lib/public-address.js';
import { BatchWriter } from '../tasks/batch/batch-writer.js';
import { type RowOutcome } from '../tasks/batch/batch-row.js';
import { plural } from '../definitions/impact/effect.js';
import { exportTasks } from '../tasks/list/export-tasks.js';
import { Scope } from '../workspace/scope.js';
import { openWorkflow, withDatabase } from './with-database.js';
import { documentFor, print, type ProgressBar, progressBar } from './terminal.js';
import {
  countRows,
  reasonOfRejection,
  rejectedRow,
  rejectsHead,
  openSource,
  type SourceFile,
  type SourceRow,
} from './import-source.js';

export interface ImportOptions {
  readonly workspace: string;
  readonly workflow: string;
  readonly rejects?: string;
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
  const rejects = await rejectsFile(options);
  const bar = progressBar();
  const written = new Written(options.fromRow);
  const told: Told = async (source, rows, outcomes, total) => {
    written.add(outcomes);
    await keepRejects(rejects, source, rows, outcomes, bar);
    bar.show(written.counts.rows / total, `${plural(written.counts.rows, 'row')}, ${written.counts.error} rejected`); // prettier-ignore
  };
  await withFile(file, (path) => withDatabase((db) => importRows(db, path, options, written, told)))
    .catch(failing(file))
    .finally(async () => {
      bar.clear();
      if (rejects) await end(rejects);
    });
  print(written.summary);
  if (written.counts.error > 0) process.exitCode = 1;
}

/** Runs work on a file that can be read twice: a pipe is copied into a temporary file. */
async function withFile(file: string, work: (path: string) => Promise<void>): Promise<void> {
  const path = resolve(callerFolder(), file);
  const found = await stat(path).catch(failing('it cannot be read'));
  if (found.isFile()) return work(path);
  const folder = await mkdtemp(join(tmpdir(), 'wts-import-'));
  try {
    const copy = join(folder, basename(path));
    await pipeline(createReadStream(path), createWriteStream(copy));
    await work(copy);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Never overwrites the rejected rows of the import that this one continues. */
async function rejectsFile({ rejects, fromRow }: ImportOptions): Promise<WriteStream | undefined> {
  if (rejects === undefined) return undefined;
  const opened = open(resolve(callerFolder(), rejects), fromRow === undefined ? 'w' : 'wx');
  return (await opened.catch(failing(`${rejects} cannot be written`))).createWriteStream();
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

  add(outcomes: readonly RowOutcome[]): void {
    for (const { row, status } of outcomes.toSorted((one, other) => one.row - other.row)) {
      this.counts[status] += 1;
      this.counts.rows += 1;
      while (this.next < row) this.skipped.push(this.next++);
      this.next = row + 1;
    }
  }

  get summary(): string {
    const { rows, created, updated, unchanged, deleted, error } = this.counts;
    const gone = deleted > 0 ? `${deleted} deleted, ` : '';
    return `${plural(rows, 'row')}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${gone}${error} rejected`;
  }

  /** Says which rows were written before a failure, and with which option the import goes on. */
  get whenStopped(): string {
    const skipped = this.skipped.length > 0 ? `; not written: row ${this.skipped.join(', ')}` : '';
    return `Written so far: ${this.summary}${skipped}. Go on with --from-row ${this.next}.`;
  }
}

type Told = (
  source: SourceFile,
  rows: readonly SourceRow[],
  outcomes: readonly RowOutcome[],
  total: number,
) => Promise<void>;

/** Reads the whole file before the first write, so that no fault of its structure is found midway. */
async function importRows(
  db: EntityManager,
  path: string,
  { workspace, workflow: slug, raw = false, force: isForced = false, rules, fromRow = 1 }: ImportOptions,
  written: Written,
  told: Told,
): Promise<void> {
  const { work, scope: opened } = await openWorkflow(db, workspace, slug, unseen);
  // One request: the assignments of many rows make one notification.
  const scope = new Scope(opened.workflow, undefined, undefined, new Origin({ request: randomUUID() }));
  const total = await countRows(path, scope.workflow.schema);
  const count = total - fromRow + 1;
  if (count < 1 && total > 0) throw new Error(`it has only ${plural(total, 'row')}`);
  if (rules === undefined && scope.workflow.rules.length > 0 && count > MAX_UNSAID_ROWS)
    throw new Error(
      `it has more than ${MAX_UNSAID_ROWS} rows, and the rules of workflow ${slug} would follow each of them: use --rules run, or --rules skip to start no rules and notify nobody`,
    );
  const write = new BatchWriter(work).eachOf(rules === 'skip' ? scope.silenced() : scope);
  const source = openSource(path, scope.workflow.schema, raw);
  let looked = Date.now();
  for await (const all of gather(source.rows, MAX_ROWS, () => 1)) {
    const some = all.filter(({ row }) => row >= fromRow);
    const asked = isForced ? some.map((row) => ({ ...row, from: 'action' as const })) : some;
    const outcomes: RowOutcome[] = [];
    try {
      await write(asked, outcomes);
    } catch (error) {
      await told(source, some, outcomes, count);
      throw new Error(`${reasonOf(error)}. ${written.whenStopped}`, { cause: error });
    }
    await told(source, some, outcomes, count);
    if (Date.now() - looked < POLL_INTERVAL_MS) continue;
    // If no service is running, nothing else analyzes the tables that have grown.
    await analyzeNewTables(db.dataSource);
    looked = Date.now();
  }
}

/** An import of more rows must say whether rules follow it. */
const MAX_UNSAID_ROWS = 100;
/** No values of the task are shown. */
const unseen = '';
const POLL_INTERVAL_MS = 2000;
const MAX_ROWS = 1000;

/** Writes rejected rows to a file; without one, prints the reasons. */
async function keepRejects(
  rejects: WriteStream | undefined,
  { header }: SourceFile,
  rows: readonly SourceRow[],
  outcomes: readonly RowOutcome[],
  bar: ProgressBar,
): Promise<void> {
  for (const outcome of outcomes) {
    const row = rows[outcome.row - (rows[0]?.row ?? 0)];
    if (outcome.status !== 'error' || !row) continue;
    if (!rejects) bar.tell(`row ${outcome.row}: ${reasonOfRejection(outcome)}`);
    else {
      const head = rejects.bytesWritten === 0 && rejects.writableLength === 0 ? rejectsHead(header) : '';
      if (!rejects.write(head + rejectedRow(header, row, outcome))) await once(rejects, 'drain');
    }
  }
}

async function end(stream: WriteStream): Promise<void> {
  await new Promise<void>((done, fail) => {
    stream.once('error', fail);
    stream.end(done);
  });
}

export interface ExportTasksOptions {
  readonly workspace: string;
  readonly workflow: string;
  readonly format: 'ndjson' | 'csv';
  readonly links: boolean;
  readonly raw?: boolean;
  readonly bom?: true;
}

/** Writes all tasks of a workflow to standard output. */
export async function writeTasks({
  workspace,
  workflow: slug,
  format,
  links,
  raw,
  bom,
}: ExportTasksOptions): Promise<void> {
  if (bom && format !== 'csv') throw new Error('--bom needs --format csv');
  const taskUrl = taskUrlOf(readConfig());
  await withDatabase(async (db) => {
    const { work, scope } = await openWorkflow(db, workspace, slug, taskUrl);
    const texts = exportTasks(db, work, scope, { format, hasLinks: links, isRaw: raw ?? false });
    // Spreadsheets know UTF-8 by it.
    if (bom) process.stdout.write('\ufeff');
    await pipeline(Readable.from(shown(texts)), process.stdout, { end: false });
  });
}

async function* shown(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield documentFor(process.stdout, text);
}
