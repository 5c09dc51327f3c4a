import { readUrl } from '../../../packages/safe-http/read-url.js';
import { compileTemplate, type Template } from '../../workflows/expressions/template.js';
import { type Output } from '../../workflows/fields/field-type.js';
import { checkTemplate } from '../../workflows/model/check/formulas.js';
import { type Tell, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type Run, StepFailed } from '../step.js';
import { shown } from '../step-values.js';

export function checkUrl(url: string, scope: WorkflowScope, tell: Tell): void {
  const template = checkTemplate(url, scope, tell, true);
  if (!template) return;
  if (!hasFixedHost(template)) tell('has a template in its scheme or host, where only secrets are allowed');
  else if (!isUrl(template))
    tell('is not a web address that begins with https:// or http:// and has no password');
}

// Whether the URL inserts only secrets before the end of its host.
function hasFixedHost({ parts }: Template): boolean {
  const first = parts.findIndex((part) => typeof part !== 'string' && !part.secret);
  return first < 0 || /^(?:https?:\/\/|\0(?::\/\/)?)[^/?#\\]*[/?#]/i.test(fill(parts.slice(0, first), '\0'));
}

// A secret may be part of the host, a port, or the beginning of the URL. Tries a letter in place of every
// secret, and then a digit. One of the two URLs must be valid.
function isUrl({ parts }: Template): boolean {
  const [first] = parts;
  const isOpen = typeof first === 'object' && first.secret;
  return ['x', '1'].some((secret) =>
    isPlainUrl(
      isOpen ? `https://${secret}${fill(parts.slice(1), secret).replace(/^:\/\//, '')}` : fill(parts, secret),
    ),
  );
}

function isPlainUrl(text: string): boolean {
  if (/[\s\p{Control}\\]/u.test(text) || !/^https?:\/\//i.test(text)) return false;
  const url = readUrl(text);
  return url?.username === '' && url.password === '';
}

function fill(parts: Template['parts'], reference: string): string {
  return parts.map((part) => (typeof part === 'string' ? part : reference)).join('');
}

/** Builds the URL of a call, with percent-encoded values. Throws if its path has a segment `.` or `..`. */
export function urlOfCall(text: string, secret: Run['secret'], valueOf: (name: string) => Output): string {
  let url = '';
  for (const part of compileTemplate(text).parts) {
    if (typeof part === 'string') url += part;
    // Before the end of the host, only secrets are allowed. One secret may contain the whole host.
    else if (!hasHost.test(url)) url += part.secret ? secret(part.name) : '';
    else url += encodeURIComponent(part.secret ? secret(part.name) : shown(valueOf(part.name)));
  }
  // Servers resolve `.` and `..` even if they are percent-encoded.
  if (upward.test(url)) throw new StepFailed('its path contains . or .. as a segment');
  return url;
}

const hasHost = /^[a-z]+:\/\/[^/?#\\]*[/?#\\]/i;
const upward = /^[^?#]*[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i;
