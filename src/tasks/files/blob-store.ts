import { type Readable } from 'node:stream';

/** Bytes that are to be stored could not be read. */
export class UnreadableBytes extends Error {}

/** Stores the bytes of attachments under ids that the service generates. Each id is written only once. */
export interface BlobStore {
  /** Completely or not at all; an error of `bytes` is thrown on. */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** The bytes from `start` to `end`, both inclusive, or all of them; undefined if the id has none. */
  read(id: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
  /** Removes the bytes; no error if there are none. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Throws unless the service could have generated the id, because names in a store never come from clients. */
export function blobName(id: string): string {
  if (!/^[\w-]{20,40}$/.test(id)) throw new Error('not the id of a blob');
  return id;
}

export const BLOBS = Symbol('blobs');
