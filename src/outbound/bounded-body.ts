import { pipeline, type Readable, Transform } from 'node:stream';
import { OutboundFailure } from './failure.js';

interface Bounds {
  readonly maxBytes: number;
  /** How many bytes there must be at least. */
  readonly announced?: number | undefined;
}

/** What comes out of `source` within the bounds; errors are what `failure` makes of them; destroying one ends both. */
export function boundedBody(
  source: Readable,
  { maxBytes, announced = 0 }: Bounds,
  failure: (error: unknown) => OutboundFailure,
): Readable {
  let read = 0;
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      read += chunk.length;
      if (read > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
    flush(done) {
      done(read < announced ? new OutboundFailure('incomplete') : null);
    },
    destroy(error, done) {
      done(error && failure(error));
    },
  });
  pipeline(source, body, ignore);
  // Whoever reads learns of an error; one that nobody reads must not end the process.
  return body.on('error', ignore);
}

export function tooLarge(maxBytes: number): OutboundFailure {
  return new OutboundFailure('too large', `it is larger than ${maxBytes} bytes`);
}

function ignore(): void {
  // Told by the stream itself.
}
