import { readUrl } from '../../packages/safe-http/read-url.js';
import { type ChannelDefinition } from './channel-definition.js';
import { checkSecretTemplate } from '../workflows/model/check/formulas.js';
import { type Report } from '../workflows/model/check/kit.js';

/** Reports a wrong URL of a channel; a secret may be part of it, or all of it. */
export function checkChannelUrl(channel: ChannelDefinition, report: Report): void {
  const template = checkSecretTemplate(channel, 'url', channel.url, report);
  if (!template || template.names.size > 0) return;
  const [first] = template.parts;
  const isOpen = typeof first === 'object';
  if (!isOpen && readChannelUrl(template.render(() => '1')) === undefined)
    report(channel, 'url', 'is not an absolute http or https URL without a password');
}

/** The URL after its secrets were filled in; undefined if it is invalid. */
export function readChannelUrl(text: string): string | undefined {
  const url = readUrl(text);
  if (!url) return undefined;
  const { protocol, username, password } = url;
  return ['http:', 'https:'].includes(protocol) && username + password === '' ? text : undefined;
}
