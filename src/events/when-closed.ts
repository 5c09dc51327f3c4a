import { type Response } from 'express';

export function whenClosed(response: Response): AbortSignal {
  const gone = new AbortController();
  if (response.closed) gone.abort();
  response.once('close', () => {
    gone.abort();
  });
  return gone.signal;
}
