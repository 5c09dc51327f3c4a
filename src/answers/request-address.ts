import { type Request } from 'express';
import { type Config } from '../config.js';
import { readQuery } from '../payloads/query.js';

/** What a request asks for, exactly as it was sent. */
export interface RequestAddress {
  /** The address of the service as the client knows it. */
  readonly origin: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The address of a request, its parameters in the order in which they were sent. */
export function requestAddress({ originalUrl, headers }: Request): RequestAddress {
  const origin = `http://${/^[\w.:[\]-]+$/.exec(headers.host ?? '')?.[0] ?? 'localhost'}`;
  const [path = ''] = originalUrl.split('?', 1);
  return { origin, path, query: readQuery(originalUrl) };
}

/** The address of the page behind this cursor. */
export function pageAddress(
  { publicUrl }: Config,
  { origin, path, query }: RequestAddress,
  cursor: string,
): string {
  const next = new URLSearchParams(query);
  next.set('_after', cursor);
  return `${publicUrl ?? origin}${path}?${next.toString()}`;
}
