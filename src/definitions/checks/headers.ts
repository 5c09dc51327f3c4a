import { type Template } from '../../expressions/template.js';
import { checkTemplate } from './formulas.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
// What the service and the protocol set themselves.
const ownNames = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const sendable = /^[\t\x20-\x7e\xa0-\xff]*$/;

/** Reports what is wrong with the headers of an `api_call`. */
export function checkHeaders(
  headers: { [name: string]: string },
  scope: WorkflowScope,
  report: Report,
): void {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!namePattern.test(name)) report(headers, name, 'is not the name of a header');
    if (ownNames.has(lower)) report(headers, name, 'is a header that the service sets');
    if (names.has(lower)) report(headers, name, 'is given twice');
    names.add(lower);
    const template = checkTemplate(headers, name, value, scope, report, true);
    if (template) checkHeaderValue(headers, name, template, report);
  }
}

function checkHeaderValue(headers: object, name: string, { parts, secrets }: Template, report: Report): void {
  if (name.toLowerCase() === 'authorization' && secrets.size === 0) {
    report(headers, name, 'is written out: take it from a secret, {{secret.NAME}}');
  }
  if (!parts.every((part) => typeof part !== 'string' || sendable.test(part))) {
    report(headers, name, 'holds a character that a header cannot');
  }
}
