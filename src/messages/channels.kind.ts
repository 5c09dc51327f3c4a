import { ChannelEntity } from './channel.entity.js';
import { tableOf } from '../workflows/model/stored-rows.js';
import { kind } from '../workflows/model/kind.js';
import { listSetting, closedMapping, idText } from '../workflows/model/schema-parts.js';
import Type, { type Static } from 'typebox';
import { channelTypes } from './channel-types.js';
import { readUrl } from '../../packages/safe-http/read-url.js';
import { checkSecretTemplate } from '../workflows/model/check/formulas.js';
import { type Report } from '../workflows/model/check/kit.js';

const kinds = [...channelTypes].map(([name, { description }]) => `${name}: ${description}`).join('; ');

export const channel = Type.Object(
  {
    id: idText({ title: 'Id of the channel', description: 'Identifies the channel in steps.' }),
    type: Type.Enum([...channelTypes.keys()], { title: 'Type', description: `${kinds}.` }),
    url: Type.String({
      title: 'URL',
      description: 'Messages are posted to this http or https address. May contain {{secret.NAME}}.',
      minLength: 1,
      maxLength: 2048,
      examples: ['{{secret.SLACK_OPS}}'],
    }),
  },
  {
    ...closedMapping,
    title: 'Channel',
    description: 'A chat channel or another system, to which `post_message` steps post.',
    examples: [
      { id: 'ops', type: 'slack', url: '{{secret.SLACK_OPS}}' },
      { id: 'audit', type: 'webhook', url: 'https://audit.acme.test/messages?key={{secret.AUDIT}}' },
    ],
  },
);

export type ChannelDefinition = Static<typeof channel>;

export const channels = kind({
  name: 'channel',
  list: 'channels',
  of: 'workspace',
  key: ['id'],
  schema: listSetting(channel, {
    title: 'Channels',
    description: 'Places to which actions post messages; identified by id.',
    maxItems: 100,
  }),
  rows: tableOf({ entity: ChannelEntity, columns: { id: 'id', type: 'type', url: 'url' } }),
  check: (one, _within, report) => {
    checkChannelUrl(one, report);
  },
});

function checkChannelUrl(channel: ChannelDefinition, report: Report): void {
  const template = checkSecretTemplate(channel.url, report.at(channel, 'url'));
  if (!template || template.names.size > 0) return;
  const [first] = template.parts;
  const isOpen = typeof first === 'object';
  if (!isOpen && readChannelUrl(template.render(() => '1')) === undefined)
    report(channel, 'url', 'is not a web address that begins with https:// or http:// and has no password');
}

/** Returns the text if it is an http or https URL without user name or password; otherwise undefined. */
export function readChannelUrl(text: string): string | undefined {
  const url = readUrl(text);
  if (!url) return undefined;
  const { protocol, username, password } = url;
  return ['http:', 'https:'].includes(protocol) && username + password === '' ? text : undefined;
}
