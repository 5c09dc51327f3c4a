import { randomBytes, randomInt } from 'node:crypto';

/** This many random bytes as URL-safe text, four characters for every three bytes. */
export function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

const letters = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A short random id that reveals no count, such as `f_8kq2mzw4x`. */
export function randomId(prefix: string): string {
  return `${prefix}_${Array.from({ length: 9 }, () => letters.charAt(randomInt(letters.length))).join('')}`;
}
