import { type Request } from 'express';
import { Refusal } from '../errors/errors.js';

/** The bytes of a body as they are asked for. Throws when the client goes away, or sends nothing for 30 s. */
export async function* unstalled(request: Request): AsyncGenerator<Buffer> {
  // Who leaves off midway has something to answer: that takes the connection.
  const chunks = request.iterator({ destroyOnReturn: false });
  const stop = (): void => {
    request.destroy(new Refusal('malformed', 'The body stalled.'));
  };
  try {
    for (;;) {
      const stalled = setTimeout(stop, stallMs);
      const next = await chunks.next().finally(() => {
        clearTimeout(stalled);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

const stallMs = 30_000;
