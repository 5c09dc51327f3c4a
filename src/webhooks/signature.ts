import { createHmac } from 'node:crypto';
import { type Pause } from '../lib/turn.js';

/** What a message is told apart and dated by, as its headers say it. */
export interface Signed {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** The headers by which a receiver knows who sent a message and that nobody has altered it (Standard Webhooks 1.0.0). */
export async function signatureHeaders(
  { id, timestamp }: Signed,
  body: readonly Buffer[],
  secrets: readonly Buffer[],
  pause: Pause,
): Promise<Record<string, string>> {
  const signatures: string[] = [];
  for (const secret of secrets) {
    const hmac = createHmac('sha256', secret).update(`${id}.${timestamp}.`);
    for (const piece of body) {
      hmac.update(piece);
      await pause();
    }
    signatures.push(`v1,${hmac.digest('base64')}`);
  }
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
