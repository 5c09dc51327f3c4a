import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape = /^wts_([0-9A-Za-z]{34})([0-9A-Za-z]{6})$/;

/** A new key: `wts_`, 34 random characters and 6 of a checksum, so that typos and scanners know it by sight. */
export function generateApiKey(): string {
  const random = Array.from({ length: 34 }, () => base62.charAt(randomInt(62))).join('');
  return `wts_${random}${checksum(random)}`;
}

/** Whether this could be a key of ours: the shape and the checksum fit. */
export function isApiKey(text: string): boolean {
  const [, random, sum] = shape.exec(text) ?? [];
  return random !== undefined && checksum(random) === sum;
}

/** What is stored of a key: its SHA-256, in hexadecimal digits. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  while (text.length < 6) {
    text = base62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
