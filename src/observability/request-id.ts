import { randomText } from '../random-text.js';

/** A new id for a request that brought none. */
export function newRequestId(): string {
  return randomText(12);
}
