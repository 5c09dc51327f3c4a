import { randomInt } from 'node:crypto';

const letters = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A short random id that tells no count, such as `f_8kq2mzw4x`. */
export function randomId(prefix: string): string {
  return `${prefix}_${Array.from({ length: 9 }, () => letters.charAt(randomInt(letters.length))).join('')}`;
}
