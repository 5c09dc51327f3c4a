import { ChannelEntity } from '../workflows/model/entities/channel.entity.js';
import { kind } from '../workflows/model/kind.js';
import { listSetting } from '../workflows/model/schema-parts.js';
import { channel } from './channel-definition.js';
import { checkChannelUrl } from './check-channel.js';

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
  rows: {
    entity: ChannelEntity,
    spec: ({ id, type, url }: ChannelEntity) => ({ id, type, url }),
    columns: (one) => one,
  },
  check: (one, _within, report) => {
    checkChannelUrl(one, report);
  },
});
