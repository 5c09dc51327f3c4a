import { type Readable } from 'node:stream';

/** Where the bytes of attachments live, each under an id that the service made up; an id is written once. */
export interface BlobStore {
  /** Stores the bytes under this id, whole or not at all; an error of `bytes` is passed on and nothing stays. */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** The bytes from `start` to `end` (both inclusive, absent = whole); undefined when there are none under this id. */
  read(id: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
  /** Removes them; no error when they are not there. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/** The id, if it is one that the service makes up: nothing that a client chose becomes a name in a store. */
export function blobName(id: string): string {
  if (!/^[\w-]{20,40}$/.test(id)) throw new Error('not the id of a blob');
  return id;
}

/** Where Nest keeps the store. */
export const BLOBS = Symbol('blobs');
