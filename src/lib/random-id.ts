import { randomFillSync, randomInt } from 'node:crypto';

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

const letters = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A short random id that tells no count, such as `f_8kq2mzw4x`. */
export function randomId(prefix: string): string {
  return `${prefix}_${Array.from({ length: 9 }, () => letters.charAt(randomInt(letters.length))).join('')}`;
}
