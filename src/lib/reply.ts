import { type Response } from 'express';

/** What a handler returns where its answer is more than an object: the adapter lets it send itself. */
export class Reply {
  constructor(readonly send: (response: Response) => void | Promise<void>) {}
}
