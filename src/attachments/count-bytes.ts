import { createHash } from 'node:crypto';

/** Bytes on their way, and what is known of them when they have gone by. */
export interface CountedBytes {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly size: number;
  /** What the source threw, if it did. */
  readonly failure: { readonly error: unknown } | undefined;
  digest(): Buffer;
}

/** The same bytes, counted and hashed as they go by. */
export function countBytes(bytes: AsyncIterable<Uint8Array>): CountedBytes {
  const hash = createHash('sha256');
  let size = 0;
  let failure: CountedBytes['failure'];
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of bytes) {
        hash.update(piece);
        size += piece.length;
        yield piece;
      }
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  return {
    bytes: counted(),
    get size() {
      return size;
    },
    get failure() {
      return failure;
    },
    digest: () => hash.digest(),
  };
}
