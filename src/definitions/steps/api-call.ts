import { checkBody } from '../checks/body.js';
import { checkHeaders } from '../checks/headers.js';
import { checkUrl } from '../checks/url.js';
import { type JsonValue } from '../json-value.js';
import { takePlace } from '../place.js';
import { asMapping, asNumber, asText, isMapping, optional } from '../shape.js';
import { type StepKind } from '../step-kind.js';

export const apiCall: StepKind<'api_call'> = {
  read: ({ url, method, headers, body, timeout_seconds, tries }) => ({
    url: asText(url),
    ...optional('method', method, asText),
    ...optional('headers', headers, readHeaders),
    ...optional('body', body, (value) => (isMapping(value) ? value : asText(value))),
    ...optional('timeout_seconds', timeout_seconds, asNumber),
    ...optional('tries', tries, asNumber),
  }),
  check(step, scope, report) {
    checkUrl(step, 'url', step.url, scope, report);
    if (step.headers) checkHeaders(step.headers, scope, report);
    if (step.body !== undefined) checkBody(step, 'body', step.body, scope, report);
  },
  rename: (step) => step,
};

function readHeaders(value: JsonValue): { [name: string]: string } {
  const raw = asMapping(value);
  return takePlace(raw, Object.fromEntries(Object.entries(raw).map(([name, text]) => [name, asText(text)])));
}
