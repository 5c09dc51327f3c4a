import { ChannelEntity } from './channel.entity.js';
import { channels } from './channels.kind.js';
import { MessageEntity } from './message.entity.js';
import { message } from './message.job.js';
import { MessagesModule } from './messages.module.js';
import { oldMessages } from './messages.repository.js';

export const messagesFeature = {
  kinds: [channels],
  entities: [ChannelEntity, MessageEntity],
  jobs: [message],
  leftovers: [oldMessages],
  eventTypes: ['message.failed'],
  modules: [MessagesModule],
};
