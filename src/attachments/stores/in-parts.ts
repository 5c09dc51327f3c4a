/** Bytes of a part: the least that S3 takes, so that many uploads at once need little memory. */
export const partBytes = 5 * 2 ** 20;

/**
 * The same bytes in parts of `partBytes`, and a shorter one, perhaps empty, at the end. All parts are the same memory:
 * one holds until the next is asked for.
 */
export async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  // The system gives it piece by piece as it is filled: a small file costs little.
  const part = Buffer.allocUnsafeSlow(partBytes);
  let length = 0;
  for await (const chunk of bytes)
    for (let taken = 0; taken < chunk.length;) {
      const piece = chunk.subarray(taken, taken + partBytes - length);
      part.set(piece, length);
      taken += piece.length;
      length += piece.length;
      if (length < partBytes) continue;
      yield part;
      length = 0;
    }
  yield part.subarray(0, length);
}
