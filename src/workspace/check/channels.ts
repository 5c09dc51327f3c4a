import { readUrl } from '../../../packages/safe-http/read-url.js';
import { type ChannelDefinition } from '../channel-definition.js';
import { checkSecretTemplate } from './formulas.js';
import { checkDistinct, type Report, type WorkspaceScope } from './kit.js';

/** Reports faults in the channels of a workspace. */
export function checkChannels({ definition: { channels } }: WorkspaceScope, report: Report): void {
  for (const channel of channels) checkChannelUrl(channel, report);
  const ids = channels.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another channel', report);
}

/** A secret may be part of the URL, or all of it. */
function checkChannelUrl(channel: ChannelDefinition, report: Report): void {
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
