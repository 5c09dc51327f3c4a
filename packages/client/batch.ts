import { type Call, type CallOptions, type QueryValues, queryOf, sleep } from './call.js';
import { type BatchRow, type Synced, type SyncSummary } from './types.js';

/** How a batch is written. Its deadline, 120,000 ms unless said, is that of each request. */
export interface BatchOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** All rows or none, in one request: `ValidationError` says in its `body` what was wrong. */
  readonly isAtomic?: boolean | undefined;
  /** Nothing is written. */
  readonly isDryRun?: boolean | undefined;
  /** Each row has a Unique ID, so that rows whose answer was cut off can be sent again; those that are there are `unchanged`. */
  readonly hasUniqueIds?: boolean | undefined;
}

/** How a sync is made. Its deadline is 600,000 ms unless said. */
export interface SyncOptions extends Omit<BatchOptions, 'hasUniqueIds'> {
  /** How many tasks are to be deleted; a dry run can do without. */
  readonly expect?: number | undefined;
}

/** Writes rows in one request, and then deletes what the filter finds and none of them names. */
export async function sync(
  call: Call,
  path: string,
  rows: Iterable<object> | AsyncIterable<object>,
  filter: QueryValues,
  { expect, ...options }: SyncOptions,
): Promise<Synced> {
  const query = { ...options.query, _sync: queryOf(filter).slice(1), _expect: expect };
  const told: BatchRow[] = [];
  for await (const row of batch(call, path, rows, { deadline: 600_000, ...options, query })) told.push(row);
  // The last line is no row.
  const summary = told.pop() as unknown as Partial<SyncSummary> & Pick<SyncSummary, 'deleted'>;
  return { rows: told, summary: { found: null, would_delete: [], errors: {}, ...summary } };
}

const MAX_ROWS = 1000;
const MAX_LENGTH = 1_000_000;
/** Milliseconds that a row waits for those that follow. */
const PATIENCE = 100;

/** Writes rows as they come, some at a time, and tells what became of each. With `_sync` all go at once, and a line of all is the last. */
export async function* batch(
  call: Call,
  path: string,
  rows: Iterable<object> | AsyncIterable<object>,
  { isAtomic, isDryRun, hasUniqueIds = false, ...options }: BatchOptions,
): AsyncGenerator<BatchRow, void, undefined> {
  const flags = {
    _atomic: isAtomic === true ? true : undefined,
    _dry_run: isDryRun === true ? true : undefined,
  };
  const query: QueryValues = { ...flags, ...options.query };
  const isSync = query['_sync'] !== undefined;
  let sent = 0;
  for await (const lines of partsOf(rows, isAtomic === true || isSync)) {
    const answers = await call(
      'POST',
      path,
      {
        deadline: 120_000,
        ...options,
        query,
        body: lines.join('\n'),
        headers: { 'content-type': 'application/x-ndjson', ...options.headers },
        idempotencyKey: null,
        isRepeatable: hasUniqueIds || isDryRun === true,
      },
      async (answer) => rowsOf(await answer.text(), lines.length + (isSync ? 1 : 0)),
    );
    for (const answer of answers) yield sent === 0 ? answer : { ...answer, row: sent + answer.row };
    sent += lines.length;
  }
}

function rowsOf(text: string, count: number): BatchRow[] {
  const rows = text.split('\n').filter(Boolean);
  if (rows.length < count) throw new Error(`the answer was cut: ${rows.length} of ${count} lines came`);
  return rows.map((row) => JSON.parse(row) as BatchRow);
}

/** The rows as lines of JSON, as many at a time as one request takes, or as have come when one has waited long enough. */
async function* partsOf(
  rows: Iterable<object> | AsyncIterable<object>,
  isWhole: boolean,
): AsyncGenerator<readonly string[], void, undefined> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  const ask = async (): Promise<IteratorResult<object>> => iterator.next();
  const late = Symbol();
  let next: Promise<IteratorResult<object>> | undefined;
  try {
    for (let isDone = false; !isDone;) {
      const lines: string[] = [];
      let pause: Promise<typeof late> | undefined;
      for (let length = 0; isWhole || (lines.length < MAX_ROWS && length < MAX_LENGTH);) {
        next ??= ask();
        const row = await (pause && !isWhole ? Promise.race([next, pause]) : next);
        if (row === late) break;
        next = undefined;
        if (row.done === true) {
          isDone = true;
          break;
        }
        const line = JSON.stringify(row.value);
        length += line.length;
        lines.push(line);
        pause ??= sleep(PATIENCE).then(() => late);
      }
      if (lines.length > 0 || isWhole) yield lines;
    }
  } finally {
    // Nobody awaits the row that was asked for ahead any more, so its rejection is handled here.
    next?.catch(() => undefined);
    await iterator.return?.();
  }
}
