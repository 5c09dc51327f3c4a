import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

/** Encrypts a text; the same text always gives the same result. `purpose` separates uses of a key. */
export function sealText(key: Buffer, purpose: Buffer, text: string): string {
  const nonce = createHmac('sha256', key).update(purpose).update(text).digest().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(purpose);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  );
}

/** Decrypts a text that `sealText` encrypted with this key and purpose. Undefined for any other text. */
export function openSealed(key: Buffer, purpose: Buffer, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  // Decoding ignores trailing characters, so the text is compared with the encoding of the decoded bytes.
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(purpose)
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
    return text + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

const algorithm = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
