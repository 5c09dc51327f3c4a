import { eachPage, type ReadPage, type Stretch } from '../id-page.js';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type Config } from '../../config.js';
import { ownOrigin, publicAddress } from '../public-address.js';
import { TEXT_LENGTH, turn } from '../../../packages/fair/turn.js';
import { type Holder } from '../../../packages/fair/semaphore.js';
import { invalidField } from '../field-errors.js';
import { type CursorHolder, type ListName, openCursor, sealCursor } from '../cursor.js';
import { type TaskList } from './replies.js';
import { ValidatesQuery, readQuery } from '../ops/query.js';

/** A list in the order of ids. */
export interface PagedList<Row> {
  readonly scope: Holder & { readonly workflow: CursorHolder };
  readonly name: ListName;
  readonly read: ReadPage<Row>;
  readonly write: (row: Row) => string;
}

/** Reads the requested page. Without `_limit`, reads the whole list while it is sent. */
export async function pagedList<Row>(
  { scope, name, read, write }: PagedList<Row>,
  { _limit, _after }: PageQuery,
  address: RequestAddress,
  config: Config,
): Promise<TaskList> {
  if (_limit === undefined) {
    if (_after !== undefined) throw invalidField('_after', 'needs _limit');
    return {
      texts: textsOf(scope, eachPage(read, PAGE_SIZE), write),
      next: undefined,
      total: undefined,
    };
  }
  const [after] = _after === undefined ? ['0'] : (openCursor(scope.workflow, name, _after) ?? []);
  if (after == null)
    throw invalidField('_after', 'is not a cursor of this list; take it from the header Link');
  const { rows, next } = await read(after, Number(_limit));
  const cursor = next === undefined ? undefined : sealCursor(scope.workflow, name, [next]);
  return {
    texts: textsOf(scope, [rows], write),
    next: cursor && pageAddress(config, address, cursor),
    total: undefined,
  };
}

const PAGE_SIZE = 1000;

/** Writes the rows with commas between them. A new text begins with each page and after about 128 kB. */
export async function* textsOf<Row>(
  holder: Holder,
  pages: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
  write: (row: Row) => string,
): AsyncGenerator<string> {
  let comma = '';
  for await (const rows of pages) {
    let text = '';
    for (const row of rows) {
      text += comma + write(row);
      comma = ',';
      if (text.length < TEXT_LENGTH) continue;
      yield text;
      text = '';
      await turn(holder);
    }
    if (text) yield text;
  }
}

export const describedPage = {
  _limit: {
    description: 'The maximum number of elements on a page. If omitted, the list is complete.',
    type: 'integer',
    minimum: 1,
    maximum: 1000,
  },
  _after: { description: 'The cursor in the `Link` of the previous page; needs `_limit`.', type: String },
} as const;

/** The requested part of a list: the whole list, or a page of `_limit` elements after the cursor `_after`. */
export class PageQuery {
  @ApiPropertyOptional(describedPage._limit)
  @IsOptional()
  @Matches(/^0*([1-9]\d{0,2}|1000)$/, { message: 'is not a whole number from 1 to 1000' })
  _limit?: string;

  @ApiPropertyOptional(describedPage._after)
  @IsOptional()
  @IsString()
  _after?: string | undefined;
}

/** The address of a request, as the client sent it, but in NFC. */
export interface RequestAddress {
  /** The origin in the request's `Host`, if `Host` names this machine. */
  readonly origin: string | undefined;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The address of the request, for a handler that reads the query itself. */
export const Address = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestAddress(context.switchToHttp().getRequest<Request>()),
  [ValidatesQuery],
);

function requestAddress(request: Request): RequestAddress {
  const { originalUrl } = request;
  const [path = ''] = originalUrl.split('?', 1);
  return { origin: ownOrigin(request), path, query: readQuery(originalUrl) };
}

/** The address for a read by the service itself. Such a read sends no `Link` to a client. */
export const nowhere: RequestAddress = { origin: undefined, path: '', query: new URLSearchParams() };

/** Reads a list or page to its end. Undefined if its JSON has more than `most` characters. */
export async function readStretch<T>(list: TaskList): Promise<Stretch<T>>;
export async function readStretch<T>(list: TaskList, most: number): Promise<Stretch<T> | undefined>;
export async function readStretch<T>(
  { texts, next }: TaskList,
  most = Infinity,
): Promise<Stretch<T> | undefined> {
  let text = '';
  for await (const piece of texts) {
    text += piece;
    if (text.length > most) return undefined;
  }
  const cursor = next === undefined ? undefined : new URL(next).searchParams.get('_after');
  return { shown: JSON.parse(`[${text}]`) as readonly T[], next: cursor ?? undefined };
}

export function pageAddress(config: Config, { origin, path, query }: RequestAddress, cursor: string): string {
  const next = new URLSearchParams(query);
  next.set('_after', cursor);
  return `${config.publicUrl ?? origin ?? publicAddress(config)}${path}?${next.toString()}`;
}
