import Type, { type Static } from 'typebox';
import { notificationChannels, type NotificationReason } from '../../common/column-values.js';
import { closedMapping } from './schema-parts.js';

const channelOf = (title: string, description: string) =>
  Type.Optional(Type.Enum([...notificationChannels], { title, description }));

const channels = {
  mentioned: channelOf('Mentioned', 'Somebody mentions the user in a comment.'),
  assigned: channelOf('Assigned', 'A task or a checklist item is assigned to the user.'),
  approval: channelOf('Approval', 'The user is asked for an approval.'),
  due: channelOf('Due', 'A clock reaches a rung, and its task is assigned to the user.'),
  failed: channelOf('Failed', 'An action fails, and the user started the action or is assigned to its task.'),
  watching: channelOf('Watching', 'Something else happens to a task that the user watches.'),
} satisfies Record<NotificationReason, unknown>;

export const notificationDefaults = Type.Object(channels, {
  ...closedMapping,
  title: 'Notifications',
  description:
    'How users are notified, by reason: `mail` (and the inbox), `inbox` or `off`. Default: `mail`.',
  examples: [{ watching: 'inbox' }],
});

export type NotificationDefaults = Static<typeof notificationDefaults>;
