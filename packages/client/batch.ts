import { type Call, type CallOptions, type QueryValues, queryOf, sleep } from './call.js';
import { type BatchRow, type Synced, type SyncSummary } from './types.js';

/** The options of a batch. Its deadline, by default 120,000 ms, applies to each request. */
export interface BatchOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Writes all rows or none, in one request. The `body` of the `ValidationError` then lists the faults. */
  readonly isAtomic?: boolean | undefined;
  readonly isDryRun?: boolean | undefined;
  /**
   * Whether every row has a Unique ID. Then rows whose answers were cut off can be sent again; if they had been
   * written, they are `unchanged`.
   */
  readonly hasUniqueIds?: boolean | undefined;
}

/** The options of a sync. Its deadline is 600,000 ms by default. */
export interface SyncOptions extends Omit<BatchOptions, 'hasUniqueIds'> {
  /** The expected number of deletions; may be absent in a dry run. */
  readonly expect?: number | undefined;
}

/** Writes rows in one request, and then deletes the tasks that the filter finds and no row names. */
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
  // The last line is the summary.
  const summary = told.pop() as unknown as Partial<SyncSummary> & Pick<SyncSummary, 'deleted'>;
  return { rows: told, summary: { found: null, would_delete: [], errors: {}, ...summary } };
}

const MAX_ROWS = 1000;
const MAX_LENGTH = 1_000_000;
/** How long a row waits for further rows, in milliseconds. */
const PATIENCE = 100;

/**
 * Writes rows as they arrive, several at a time, and yields the outcome of each. With `_sync`, sends all rows in one
 * request; the last line is then the summary.
 */
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

/** Lines of JSON, grouped into requests: up to a size, or as many as have come when a row has waited long enough. */
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
    // Nothing awaits the next row any more, so its rejection is handled here.
    next?.catch(() => undefined);
    await iterator.return?.();
  }
}
