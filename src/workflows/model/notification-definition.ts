import Type, { type Static } from 'typebox';
import { notificationChannels, type NotificationReason } from '../../common/column-values.js';
import { closedMapping } from './schema-parts.js';

const channelOf = (title: string, description: string) =>
  Type.Optional(Type.Enum([...notificationChannels], { title, description }));

const channels = {
  mentioned: channelOf('Mentioned', 'Somebody mentions them in a comment.'),
  assigned: channelOf('Assigned', 'A task or a checklist item is assigned to them.'),
  approval: channelOf('Approval', 'Their approval is asked for.'),
  due: channelOf('Due', 'A clock of their task reaches a rung.'),
  failed: channelOf('Failed', 'An action on their task, or one that they started, fails.'),
  watching: channelOf('Watching', 'Something else happens to a task that they watch.'),
} satisfies Record<NotificationReason, unknown>;

export const notificationDefaults = Type.Object(channels, {
  ...closedMapping,
  title: 'Notifications',
  description:
    'How users are notified, by reason: `mail` (and the inbox), `inbox` or `off`. Default: `mail`.',
  examples: [{ watching: 'inbox' }],
});

export type NotificationDefaults = Static<typeof notificationDefaults>;
