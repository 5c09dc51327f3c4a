import { type Response } from 'express';

/** Sends an answer with its own status, headers or stream. A handler returns it, and the adapter calls it. */
export type Reply = (response: Response) => void | Promise<void>;
