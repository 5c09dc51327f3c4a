import { hash } from 'node:crypto';
import fresh from 'fresh';

/** The tag of a body that is complete in memory. */
export function documentTag(json: string): string {
  return `"${hash('sha256', json).slice(0, 32)}"`;
}

/** Whether the client has this very body already, by the tags of its `If-None-Match`. */
export function isKnown(tags: string | undefined, tag: string): boolean {
  return fresh({ 'if-none-match': tags }, { etag: tag });
}
