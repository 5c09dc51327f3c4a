import { WebhookInvalid } from './errors.js';
import { type WtsEvent } from './types.js';

type WebhookHeaders =
  Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

/** The most seconds that a webhook may be late, or early if clocks differ. */
const TOLERANCE = 300;

/**
 * Returns the event of a webhook that the service has signed with one of the secrets (`whsec_…`). Throws
 * `WebhookInvalid` for any other webhook, and one that was sent more than 300 s before or after now.
 * Pass the raw body, not parsed JSON. An event may arrive twice, so remember its `id`.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): Promise<WtsEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => header(headers, name));
  if (!id || !timestamp || !signatures) throw new WebhookInvalid('the webhook is not signed');
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE))
    throw new WebhookInvalid('the webhook is too old, or from the future');
  const body = typeof rawBody === 'string' ? encoder.encode(rawBody) : rawBody;
  const message = new Uint8Array([...encoder.encode(`${id}.${timestamp}.`), ...body]);
  for (const secret of [secrets].flat())
    for (const signature of signatures.split(' '))
      if (signature.startsWith('v1,') && (await isSigned(message, signature.slice(3), secret)))
        return JSON.parse(new TextDecoder().decode(body)) as WtsEvent;
  throw new WebhookInvalid('the webhook is signed by another secret');
}

const encoder = new TextEncoder();

function header(headers: WebhookHeaders, name: string): string | undefined {
  const full = `webhook-${name}`;
  if (typeof headers.get === 'function') return headers.get(full) ?? undefined;
  const [, value] = Object.entries(headers).find(([other]) => other.toLowerCase() === full) ?? [];
  return typeof value === 'string' ? value : undefined;
}

/** Whether the signature is valid. Web Crypto compares in constant time. */
async function isSigned(message: BufferSource, signature: string, secret: string): Promise<boolean> {
  const bytes = bytesOf(secret.replace('whsec_', ''));
  // Anybody could sign with an empty secret.
  if (bytes.length === 0) throw new TypeError('a secret must be `whsec_` followed by base64');
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify']);
  return crypto.subtle.verify('HMAC', key, bytesOf(signature), message);
}

/** The bytes of a Base64 text. Empty for an invalid text. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
