import { type Readable } from 'node:stream';

/** Thrown if the bytes to store cannot be read. */
export class UnreadableBytes extends Error {}

/** Stores the bytes of attachments under ids that the service generates. Each id is written only once. */
export interface BlobStore {
  /** Writes all bytes or none. If `bytes` throws an error, throws the same error. */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads all bytes, or those from `start` to `end`, both inclusive. Returns undefined for an unknown id. */
  read(id: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
  /** Removes the bytes of an id; ignores an unknown id. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Throws unless the id has the form of a generated id, because clients must not choose blob names. */
export function blobName(id: string): string {
  if (!/^[\w-]{20,40}$/.test(id)) throw new Error('not the id of a blob');
  return id;
}

export const BLOBS = Symbol('blobs');
