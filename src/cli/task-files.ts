import { createWriteStream, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { type EntityManager } from 'typeorm';
import { callerFolder, readConfig } from '../config.js';
import { analyzeNewTables } from '../database/statistics.js';
import { gather } from '../lib/streams.js';
import { taskUrlOf } from '../lib/public-address.js';
import { BatchWriter } from '../tasks/batch/batch-writer.js';
import { type RowOutcome } from '../tasks/batch/batch-row.js';
import { plural } from '../definitions/impact/effect.js';
import { exportTasks } from '../tasks/list/export-tasks.js';
import { type Workflow } from '../workspace/workspace.js';
import { openWorkflow, withDatabase } from './with-database.js';
import { documentFor, print, type ProgressBar, progressBar } from './terminal.js';
import {
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
}

/** Creates or updates tasks from a file with one task per row. */
export async function importTasks(file: string, options: ImportOptions): Promise<void> {
  const path = resolve(callerFolder(), file);
  const { size } = await stat(path).catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const counts = { rows: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, error: 0 };
  const rejects =
    options.rejects === undefined ? undefined : createWriteStream(resolve(callerFolder(), options.rejects));
  const bar = progressBar();
  try {
    await withDatabase((db) =>
      importRows(db, file, path, options, async (source, rows, outcomes) => {
        for (const { status } of outcomes) counts[status] += 1;
        counts.rows += outcomes.length;
        await keepRejects(rejects, source, rows, outcomes, bar);
        bar.show(source.bytes / size, `${plural(counts.rows, 'row')}, ${counts.error} rejected`);
      }),
    );
  } finally {
    bar.clear();
    if (rejects) await end(rejects);
  }
  const { rows, created, updated, unchanged, deleted, error } = counts;
  const gone = deleted > 0 ? `${deleted} deleted, ` : '';
  print(
    `${plural(rows, 'row')}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${gone}${error} rejected`,
  );
  if (error > 0) process.exitCode = 1;
}

type Told = (
  source: SourceFile,
  rows: readonly SourceRow[],
  outcomes: readonly RowOutcome[],
) => Promise<void>;

async function importRows(
  db: EntityManager,
  file: string,
  path: string,
  { workspace, workflow: slug, raw: isRaw = false, force: isForced = false, rules }: ImportOptions,
  told: Told,
): Promise<void> {
  const { work, scope } = await openWorkflow(db, workspace, slug, unseen);
  const write = new BatchWriter(work).eachOf(rules === 'skip' ? scope.silenced() : scope);
  const source = openSource(path, scope.workflow.schema, isRaw);
  const isUnsaid = rules === undefined && scope.workflow.rules.length > 0;
  const given = isUnsaid ? fewRows(source, scope.workflow) : source.rows;
  let looked = Date.now();
  try {
    for await (const some of gather(given, MAX_ROWS, () => 1)) {
      const asked = isForced ? some.map((row) => ({ ...row, from: 'action' as const })) : some;
      await told(source, some, await write(asked));
      if (Date.now() - looked < POLL_INTERVAL_MS) continue;
      // If no service is running, nothing else analyzes the tables that have grown.
      await analyzeNewTables(db.dataSource);
      looked = Date.now();
    }
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** The rows of a source; throws before the first one if there are so many that `rules` is required. */
async function* fewRows({ rows }: SourceFile, { slug }: Workflow): AsyncGenerator<SourceRow[]> {
  const held: SourceRow[] = [];
  for await (const some of rows) {
    held.push(...some);
    if (held.length > MAX_UNSAID_ROWS)
      throw new Error(
        `it has more than ${MAX_UNSAID_ROWS} rows, and the rules of workflow ${slug} would follow each of them: use --rules run, or --rules skip to start no rules and notify nobody`,
      );
  }
  yield held;
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
  for (const [at, outcome] of outcomes.entries()) {
    const row = rows[at];
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
}

/** Writes all tasks of a workflow to standard output. */
export async function writeTasks({
  workspace,
  workflow: slug,
  format,
  links,
  raw,
}: ExportTasksOptions): Promise<void> {
  const taskUrl = taskUrlOf(readConfig());
  await withDatabase(async (db) => {
    const { work, scope } = await openWorkflow(db, workspace, slug, taskUrl);
    const texts = exportTasks(db, work, scope, { format, hasLinks: links, isRaw: raw ?? false });
    await pipeline(Readable.from(shown(texts)), process.stdout, { end: false });
  });
}

async function* shown(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield documentFor(process.stdout, text);
}
