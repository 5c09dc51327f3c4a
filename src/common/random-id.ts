import { randomFillSync, randomInt } from 'node:crypto';

/** Returns this number of random bytes as URL-safe text. Three bytes become four characters. */
export function randomText(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.toString('base64url', used, (used += bytes));
}

/** A pool of random bytes, because OpenSSL takes as long for a few bytes as for a thousand. */
const pool = Buffer.alloc(4096);
let used = pool.length;

const letters = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A short random id, such as `u_8kq2mzw4x`. Unlike a serial number, it does not tell how many ids exist. */
export function randomId(prefix: string): string {
  return `${prefix}_${Array.from({ length: 9 }, () => letters.charAt(randomInt(letters.length))).join('')}`;
}
