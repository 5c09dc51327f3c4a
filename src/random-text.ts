import { randomFillSync } from 'node:crypto';

// Asked for one id at a time, the system's random source would cost more than most other work on a request.
const pool = Buffer.alloc(4096);
let used = pool.length;

/** So many random bytes as URL-safe text, four characters for every three. */
export function randomText(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('base64url', used - bytes, used);
}
