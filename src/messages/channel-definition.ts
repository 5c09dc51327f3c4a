import Type, { type Static } from 'typebox';
import { channelTypes } from './channel-types.js';
import { closedMapping, idText } from '../workflows/model/schema-parts.js';

const kinds = [...channelTypes].map(([name, { description }]) => `${name}: ${description}`).join('; ');

/** The setting for where a team reads the messages of actions. */
export const channel = Type.Object(
  {
    id: idText({ title: 'Id of the channel', description: 'Identifies the channel in steps.' }),
    type: Type.Enum([...channelTypes.keys()], { title: 'Type', description: `${kinds}.` }),
    url: Type.String({
      title: 'URL',
      description: 'Messages are posted to this http or https address. May hold {{secret.NAME}}, or be one.',
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
