import { type RowChange } from '../../records/upsert-rows.js';
import { type TaskSchema } from '../../schema/task-schema.js';
import { type BatchRow, Unread } from './batch-row.js';
import { parseRow, rowChange } from './parse-row.js';

/** Rows of which none needs to see what another does. */
export interface Segment {
  /** What is written in one statement. */
  readonly together: readonly TogetherRow[];
  /** What is written after that, one by one: it may change tasks, but creates none. */
  readonly alone: readonly BatchRow[];
  /** How many rows these are in all. */
  readonly length: number;
}

/** A row with its change. */
export interface TogetherRow extends RowChange {
  readonly row: BatchRow;
}

/**
 * Takes the next rows that can be written at once. A row that repeats a Unique ID waits for those before it, and a row
 * that changes links stands alone: it may refer to what the rows before it have made.
 */
export function planSegment(schema: TaskSchema, rows: readonly BatchRow[], from: number): Segment {
  const together: TogetherRow[] = [];
  const alone: BatchRow[] = [];
  const seen = new Set<string>();
  let at = from;
  let keys = 0;
  for (; at < rows.length && at - from < mostRows; at += 1) {
    const row = rows[at];
    if (!row) break;
    if (row.content instanceof Unread) {
      alone.push(row);
      continue;
    }
    keys += row.content.size;
    if (keys > mostKeys && at > from) break;
    const parsed = parseRow(schema, row.content);
    const { links, uniqueValue } = parsed.change;
    if (links.size > 0) {
      if (at > from) break;
      return { together, alone: [row], length: 1 };
    }
    if (uniqueValue != null && seen.has(uniqueValue)) break;
    if (uniqueValue != null) seen.add(uniqueValue);
    const change = rowChange(schema, parsed);
    if (change) together.push({ ...change, row });
    else alone.push(row);
  }
  return { together, alone, length: at - from };
}

/** What one statement writes at most: it holds the locks of all. */
const mostRows = 500;
/** How many keys they may have together: all are read in one go. */
const mostKeys = 20_000;
