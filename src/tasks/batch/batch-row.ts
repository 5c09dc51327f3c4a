import { type InvalidFields } from '../../errors/field-errors.js';
import { type RowStatus } from '../../records/upsert-rows.js';
import { type JsonObject } from '../../schema/json.js';

/** A row of a batch: what would be the body of a POST, or why it cannot be read. */
export interface BatchRow {
  /** Its place among the rows, from 1. */
  readonly row: number;
  readonly content: JsonObject | Unread;
}

/** Why a row is not understood at all. */
export class Unread {
  constructor(readonly reason: string) {}
}

/** What became of a row. */
export type RowOutcome = {
  readonly row: number;
  /** Null where the task has none, or the row does not tell. */
  readonly uniqueId: string | null;
} & (
  | { readonly status: RowStatus; readonly errors?: never }
  | { readonly status: 'error'; readonly errors: InvalidFields['fields'] }
);

/** The line that tells a client of an outcome. */
export function lineOf({ row, status, uniqueId, errors }: RowOutcome): string {
  const head = `{"row":${row},"status":"${status}","unique_id":${JSON.stringify(uniqueId)}`;
  if (!errors) return `${head}}\n`;
  // As text, for the names of fields are data: `__proto__` and `10` keep their place.
  const fields = errors.map(([name, messages]) => `${JSON.stringify(name)}:${JSON.stringify(messages)}`);
  return `${head},"errors":{${fields.join(',')}}}\n`;
}
