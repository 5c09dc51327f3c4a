import { createHmac } from 'node:crypto';

/** What a message is told apart and dated by, as its headers say it. */
export interface Signed {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** The headers by which a receiver knows who sent a message and that nobody has altered it (Standard Webhooks 1.0.0). */
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

/** A secret as people and libraries write it. */
export function shownSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}
