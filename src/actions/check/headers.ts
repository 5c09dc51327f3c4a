import { framingHeaders } from '../../../packages/safe-http/framing-headers.js';
import { type Template } from '../../workflows/expressions/template.js';
import { type Report, type Tell } from '../../workflows/model/check/kit.js';

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const sendable = /^[\t\x20-\x7e\xa0-\xff]*$/;

export interface HeaderRules {
  /** Names of headers that the service sets in addition to `framingHeaders`. */
  readonly taken: readonly string[];
  readonly template: (value: string, tell: Tell) => Template | undefined;
}

export function checkHeaders(
  headers: { readonly [name: string]: string },
  { taken, template }: HeaderRules,
  report: Report,
): void {
  const own = new Set([...framingHeaders, ...taken]);
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const tell = report.at(headers, name);
    if (!namePattern.test(name)) tell('is not the name of a header');
    if (own.has(lower)) tell('is a header that the service sets');
    if (names.has(lower)) tell('is given twice');
    names.add(lower);
    const compiled = template(value, tell);
    if (compiled) checkHeaderValue(name, compiled, tell);
  }
}

function checkHeaderValue(name: string, { parts, names, secrets }: Template, tell: Tell): void {
  // If a secret is misspelt, `template` has already reported it.
  const isMisspelt = [...names].some((each) => /^secret/i.test(each));
  if (name.toLowerCase() === 'authorization' && secrets.size === 0 && !isMisspelt) {
    tell('is written out: use a secret instead, {{secret.NAME}}');
  }
  if (!parts.every((part) => typeof part !== 'string' || sendable.test(part))) {
    tell('contains a character that a header cannot have');
  }
}

export function isSendable(value: string): boolean {
  return sendable.test(value);
}
