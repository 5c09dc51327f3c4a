import { type Template } from '../../expressions/template.js';
import { checkTemplate } from './formulas.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

/** Reports what is wrong with the url of an `api_call`. */
export function checkUrl(
  holder: object,
  key: string,
  url: string,
  scope: WorkflowScope,
  report: Report,
): void {
  const template = checkTemplate(holder, key, url, scope, report, true);
  if (!template) return;
  if (!hasFixedHost(template))
    report(holder, key, 'has a template in its scheme or host, where only secrets may stand');
  else if (!isUrl(template)) report(holder, key, 'is not an absolute http or https URL without a password');
}

// The first template that is no secret must come after the host's end.
function hasFixedHost({ parts }: Template): boolean {
  const first = parts.findIndex((part) => typeof part !== 'string' && !part.secret);
  return first < 0 || /^(?:https?:\/\/|\0(?::\/\/)?)[^/?#\\]*[/?#]/i.test(fill(parts.slice(0, first), '\0'));
}

// A secret may hold a part of the host, a port or the whole beginning.
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
  if (/[\s\p{Control}\\]/u.test(text) || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

function fill(parts: Template['parts'], reference: string): string {
  return parts.map((part) => (typeof part === 'string' ? part : reference)).join('');
}
