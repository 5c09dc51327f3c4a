import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The id and the time of a message, as in its headers. */
export interface Signed {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** The headers that prove who sent a message and that it was not altered (Standard Webhooks 1.0.0). */
export function signatureHeaders(
  { id, timestamp }: Signed,
  body: string,
  secrets: readonly Buffer[],
): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** A secret as users see it: `whsec_` and Base64. */
export function shownSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/** The most seconds by which the time of the sender and the time of the service may differ. */
const TOLERANCE_S = 300;

export interface SignatureHeaders {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
}

/** Whether one of these secrets signed the message within five minutes of now (Standard Webhooks 1.0.0). */
export function isSigned(
  { id, timestamp, signature }: SignatureHeaders,
  body: Buffer,
  secrets: readonly Buffer[],
): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest(),
  );
  const given = signature.split(' ').filter((part) => part.startsWith('v1,'));
  return given.some((part) =>
    expected.some((each) => isEqual(each, Buffer.from(part.slice('v1,'.length), 'base64'))),
  );
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * The keys that a secret may mean. If the secret lacks the prefix `whsec_`, some libraries decode the secret
 * as Base64, and others use the text itself.
 */
export function keysOfSecret(secret: string): Buffer[] {
  const [, encoded] = /^whsec_(.*)$/s.exec(secret) ?? [];
  const decoded = Buffer.from(encoded ?? secret, 'base64');
  const isBase64 = decoded.length > 0 && decoded.toString('base64') === (encoded ?? secret);
  return [...(isBase64 ? [decoded] : []), ...(encoded === undefined ? [Buffer.from(secret)] : [])];
}

/** Compares two texts in constant time, so that the time does not reveal where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
