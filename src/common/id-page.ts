export interface IdPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

/** A part of a list, and the cursor of the next part, if there is one. */
export interface Stretch<T> {
  readonly shown: readonly T[];
  readonly next: string | undefined;
}

/** Reads the rows after an id. The id '0' reads from the first row. */
export type ReadPage<Row> = (after: string, limit: number) => Promise<IdPage<Row>>;

export async function* eachPage<Row>(read: ReadPage<Row>, limit: number): AsyncGenerator<readonly Row[]> {
  let after: string | undefined = '0';
  while (after !== undefined) {
    const page: IdPage<Row> = await read(after, limit);
    yield page.rows;
    after = page.next;
  }
}

/**
 * Makes a page of the rows that a statement returned. `found` in each row is the number of rows that the
 * statement found, up to `limit` + 1. The statement may leave out found rows that take too much memory. If
 * `found` is greater than the number of rows in the page, more rows follow.
 */
export function pageOfLinks<Row extends { readonly id: string; readonly found: string }>(
  found: readonly Row[],
  limit: number,
): IdPage<Row> {
  const rows = found.slice(0, limit);
  return { rows, next: Number(found[0]?.found ?? 0) > rows.length ? rows.at(-1)?.id : undefined };
}
