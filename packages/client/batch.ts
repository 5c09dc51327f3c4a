import { type Call, type CallOptions, sleep, toJson } from './call.js';
import { type BatchRow } from './types.js';

/** The options of a batch. `deadline`, by default 120,000 ms, limits each request of the batch. */
export interface BatchOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /**
   * Whether every row has a Unique ID. If true, the client repeats a request that the service may have
   * carried out. If the earlier request has written a row, the outcome of the row is then `unchanged`.
   */
  readonly hasUniqueIds?: boolean | undefined;
}

const MAX_ROWS = 1000;
const MAX_LENGTH = 1_000_000;
/** The most milliseconds that a row waits for further rows. */
const PATIENCE = 100;

/** Writes rows as they arrive, several in one request, and yields the outcome of each row. */
export async function* batch(
  call: Call,
  path: string,
  rows: Iterable<object> | AsyncIterable<object>,
  { hasUniqueIds = false, ...options }: BatchOptions,
): AsyncGenerator<BatchRow, void, undefined> {
  let sent = 0;
  for await (const lines of partsOf(rows)) {
    const answers = await call(
      'POST',
      path,
      {
        deadline: 120_000,
        ...options,
        body: lines.join('\n'),
        headers: { 'content-type': 'application/x-ndjson', ...options.headers },
        idempotencyKey: null,
        isRepeatable: hasUniqueIds,
      },
      async (answer) => rowsOf(await answer.text(), lines.length),
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

/** Groups lines of JSON. A group is complete when it is large, or when its first row has waited too long. */
async function* partsOf(
  rows: Iterable<object> | AsyncIterable<object>,
): AsyncGenerator<readonly string[], void, undefined> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  const ask = async (): Promise<IteratorResult<object>> => iterator.next();
  const late = Symbol();
  let next: Promise<IteratorResult<object>> | undefined;
  try {
    for (let isDone = false; !isDone;) {
      const lines: string[] = [];
      let pause: Promise<typeof late> | undefined;
      for (let length = 0; lines.length < MAX_ROWS && length < MAX_LENGTH;) {
        next ??= ask();
        const row = await (pause ? Promise.race([next, pause]) : next);
        if (row === late) break;
        next = undefined;
        if (row.done === true) {
          isDone = true;
          break;
        }
        const line = toJson(row.value);
        length += line.length;
        lines.push(line);
        pause ??= sleep(PATIENCE).then(() => late);
      }
      if (lines.length > 0) yield lines;
    }
  } finally {
    // After an early end, nothing awaits the next row, so nothing else would handle its rejection.
    next?.catch(() => undefined);
    await iterator.return?.();
  }
}
