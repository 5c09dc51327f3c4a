export interface IdPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

/** A part of a list, and the cursor of the next one, if there is more. */
export interface Stretch<T> {
  readonly shown: readonly T[];
  readonly next: string | undefined;
}

/** Reads the next rows after an id; '0' means from the first row. */
export type ReadPage<Row> = (after: string, limit: number) => Promise<IdPage<Row>>;

export async function* eachPage<Row>(read: ReadPage<Row>, limit: number): AsyncGenerator<readonly Row[]> {
  let after: string | undefined = '0';
  while (after !== undefined) {
    const page: IdPage<Row> = await read(after, limit);
    yield page.rows;
    after = page.next;
  }
}

/** `rows` were read with one more than the limit; rows with large values may leave out the last ones. */
export function pageOfLinks<Row extends { readonly id: string; readonly found: string }>(
  found: readonly Row[],
  limit: number,
): IdPage<Row> {
  const rows = found.slice(0, limit);
  return { rows, next: Number(found[0]?.found ?? 0) > rows.length ? rows.at(-1)?.id : undefined };
}
