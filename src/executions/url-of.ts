import { compileTemplate } from '../expressions/template.js';
import { type Run } from './run.js';
import { StepFailed } from './step-failed.js';
import { referredTo, shown } from './values-of.js';

/** The url of a call: what is inserted after its host is percent-encoded, and leads to no other path. */
export function urlOf(text: string, { situation, secret }: Run): string {
  let url = '';
  for (const part of compileTemplate(text).parts) {
    if (typeof part === 'string') url += part;
    // Before the end of the host only secrets may stand, and one may be all of it.
    else if (!hasHost.test(url)) url += part.secret ? secret(part.name) : '';
    else url += encodeURIComponent(part.secret ? secret(part.name) : shown(referredTo(part.name, situation)));
  }
  // No encoding keeps such a part from being taken for a way up.
  if (upward.test(url)) throw new StepFailed('its URL has a part that is . or ..');
  return url;
}

const hasHost = /^[a-z]+:\/\/[^/?#\\]*[/?#\\]/i;
const upward = /^[^?#]*[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i;
