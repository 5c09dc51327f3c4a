import { randomBytes } from 'node:crypto';

/** A new id for a request that brought none. */
export function newRequestId(): string {
  return randomBytes(12).toString('base64url');
}
