import Type, { type Static } from 'typebox';
import { notificationChannels, type NotificationReason } from '../entities/column-values.js';
import { closedMapping } from './schema-parts.js';

const channelOf = (title: string, description: string) =>
  Type.Optional(Type.Enum([...notificationChannels], { title, description }));

const channels = {
  mentioned: channelOf('Mentioned', 'Somebody mentions them in a comment.'),
  assigned: channelOf('Assigned', 'A task or an item of its checklist becomes theirs.'),
  approval: channelOf('Approval', 'Their approval is asked for.'),
  due: channelOf('Due', 'A clock of their task reaches a rung.'),
  failed: channelOf('Failed', 'An action on their task fails, or one that they started.'),
  watching: channelOf('Watching', 'Something else happens to a task that they watch.'),
} satisfies Record<NotificationReason, unknown>;

/** The setting for where users are notified, unless they have chosen otherwise. */
export const notificationDefaults = Type.Object(
  {
    ...channels,
    calendar: Type.Optional(
      Type.String({
        title: 'Calendar',
        description:
          'The id of a calendar: mail about single tasks is sent while it is open, and waits until then at night, at weekends and on holidays. The daily digest is sent at its time.',
        examples: ['office'],
      }),
    ),
  },
  {
    ...closedMapping,
    title: 'Notifications',
    description:
      'Where users are told, by the reason, unless they choose otherwise on their account page: `mail` (and the inbox), `inbox`, or `off`. Without a line it is `mail`.',
    examples: [{ watching: 'inbox' }],
  },
);

export type NotificationDefaults = Static<typeof notificationDefaults>;
