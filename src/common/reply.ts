import { type Response } from 'express';

/** An answer that is more than an object. A handler returns it, and the adapter lets it send itself. */
export class Reply {
  constructor(readonly send: (response: Response) => void | Promise<void>) {}
}
