import { type Response } from 'express';

/** Sends an answer, with its status and headers. A handler returns a `Reply`, which the adapter calls. */
export type Reply = (response: Response) => void | Promise<void>;
