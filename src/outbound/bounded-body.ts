import { finished, type Readable, Transform } from 'node:stream';
import { OutboundFailure } from './failure.js';

interface Bounds {
  readonly maxBytes: number;
  /** How many bytes there must be at least. */
  readonly announced?: number | undefined;
}

/** What comes out of `source` within the bounds; errors are what `failure` makes of them; the end of one ends both. */
export function boundedBody(
  source: Readable,
  { maxBytes, announced = 0 }: Bounds,
  failure: (error: unknown) => OutboundFailure,
): Readable {
  let read = 0;
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      read += chunk.length;
      if (read > maxBytes) done(failure(tooLarge(maxBytes)));
      else done(null, chunk);
    },
    flush(done) {
      done(read < announced ? failure(new OutboundFailure('incomplete')) : null);
    },
  });
  finished(source, { writable: false }, (error) => {
    if (error) body.destroy(failure(error));
  });
  // Whoever reads learns of an error; one that nobody reads must not end the process.
  body.on('error', () => undefined).once('close', () => source.destroy());
  return source.pipe(body);
}

export function tooLarge(maxBytes: number): OutboundFailure {
  return new OutboundFailure('too large', `it is larger than ${maxBytes} bytes`);
}
