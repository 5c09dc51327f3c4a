import { type ChannelType } from './channel-type.js';
import { slack } from './channels/slack.js';
import { teams } from './channels/teams.js';
import { jsonChannel } from './channels/webhook.js';

export const channelTypes: ReadonlyMap<string, ChannelType> = new Map([
  ['slack', slack],
  ['teams', teams],
  ['webhook', jsonChannel],
]);
