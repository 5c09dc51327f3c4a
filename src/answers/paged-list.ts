import { type Config } from '../config.js';
import { chunkLength, turn } from '../turn.js';
import { type Holder } from '../fair-semaphore.js';
import { invalidField } from '../errors/field-errors.js';
import { eachPage, type ReadPage } from '../records/pages.js';
import { type Workflow } from '../workflows/workspace.js';
import { type ListName, openCursor, sealCursor } from './cursor.js';
import { type Page } from './page.dto.js';
import { pageAddress, type RequestAddress } from './request-address.js';
import { type TaskList } from './send.js';

/** A list in the order of ids. */
export interface PagedList<Row> {
  readonly workflow: Workflow;
  readonly name: ListName;
  readonly read: ReadPage<Row>;
  /** The JSON of one element. */
  readonly write: (row: Row) => string;
}

/** The page of a list that is asked for, or all of it, read as it is sent. */
export async function pagedList<Row>(
  { workflow, name, read, write }: PagedList<Row>,
  { _limit, _after }: Page,
  address: RequestAddress,
  config: Config,
): Promise<TaskList> {
  if (_limit === undefined) {
    if (_after !== undefined) throw invalidField('_after', 'needs _limit');
    return {
      chunks: textsOf(workflow, eachPage(read, mostAtOnce), write),
      next: undefined,
      total: undefined,
    };
  }
  const [after] = _after === undefined ? ['0'] : (openCursor(workflow, name, _after) ?? []);
  if (after == null) throw invalidField('_after', 'is not a cursor of this list');
  const { rows, next } = await read(after, Number(_limit));
  const cursor = next === undefined ? undefined : sealCursor(workflow, name, [next]);
  return {
    chunks: textsOf(workflow, [rows], write),
    next: cursor && pageAddress(config, address, cursor),
    total: undefined,
  };
}

const mostAtOnce = 1000;

/** The elements with commas between them, as texts of about 64 kB. */
export async function* textsOf<Row>(
  holder: Holder,
  pages: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
  write: (row: Row) => string,
): AsyncGenerator<string> {
  let comma = '';
  for await (const rows of pages) {
    let chunk = '';
    for (const row of rows) {
      chunk += comma + write(row);
      comma = ',';
      if (chunk.length < chunkLength) continue;
      yield chunk;
      chunk = '';
      await turn(holder);
    }
    if (chunk) yield chunk;
  }
}
