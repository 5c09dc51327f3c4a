/** A page of something, and the id behind which there is more. */
export interface IdPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

/** Reads the next rows behind an id; '0' is before all of them. */
export type ReadPage<Row> = (after: string, limit: number) => Promise<IdPage<Row>>;

/** Everything, page by page. */
export async function* eachPage<Row>(read: ReadPage<Row>, limit: number): AsyncGenerator<readonly Row[]> {
  let after: string | undefined = '0';
  while (after !== undefined) {
    const page: IdPage<Row> = await read(after, limit);
    yield page.rows;
    after = page.next;
  }
}

/** The page in what was found with one row more than the limit, and perhaps without the last for their size. */
export function pageOf<Row extends { readonly id: string; readonly found: string }>(
  found: readonly Row[],
  limit: number,
): IdPage<Row> {
  const rows = found.slice(0, limit);
  return { rows, next: Number(found[0]?.found ?? 0) > rows.length ? rows.at(-1)?.id : undefined };
}
