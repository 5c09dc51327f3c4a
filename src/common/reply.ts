import { type Response } from 'express';

/** A response with its own status, headers or stream. A handler returns it, and the adapter calls `send`. */
export class Reply {
  constructor(readonly send: (response: Response) => void | Promise<void>) {}
}
