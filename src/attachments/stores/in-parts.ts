/** Bytes of a part: the least that S3 takes, so that many uploads at once need little memory. */
export const partBytes = 5 * 2 ** 20;

/** The same bytes in parts of at least `partBytes`, and a shorter one, perhaps empty, at the end. */
export async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length < partBytes) continue;
    const part = Buffer.concat(chunks, length);
    // Whoever takes the part must not hold it twice.
    chunks = [];
    length = 0;
    yield part;
  }
  yield Buffer.concat(chunks, length);
}
