import { type NotificationChannel, type NotificationReason } from '../../database/column-values.js';

/** What the pages say in English of what people are told. */
export const inboxEn = {
  title: 'Inbox',
  /** What a badge counts. */
  unread: (count: number) => `${count} unread`,
  isUnread: 'Unread',
  empty: 'Nothing new',
  emptyMore: 'Mentions, assignments, approval requests and changes to tasks that you watch appear here.',
  older: 'Older',
  newest: 'Newest',
  /** By the reason of the newest notification of a line; `who` did it. */
  happened: {
    mentioned: (who: string) => `${who} mentioned you`,
    assigned: (who: string) => `${who} assigned this to you`,
    approval: () => 'Your approval is requested',
    due: (who: string) => `${who} reached a deadline`,
    failed: () => 'An action has failed',
    watching: (who: string) => `${who} changed this`,
  } satisfies Record<NotificationReason, (who: string) => string>,
  assignedMany: (who: string, count: string, workflow: string) =>
    `${who} assigned ${count} tasks of ${workflow} to you`,
  key: (name: string) => `API (${name})`,
  system: 'The service',
  done: 'Done',
  read: 'Mark as read',
  markUnread: 'Mark as unread',
  of: (deed: string, task: string) => `${deed}: ${task}`,
  snooze: 'Snooze',
  tomorrow: 'Tomorrow, 08:00',
  monday: 'Monday, 08:00',
  until: 'Until the morning of',
  noSuchDay: 'Choose a day in the future.',
  gone: 'This notification no longer exists.',
  watch: {
    watching: 'You watch this task.',
    muted: 'You have muted this task.',
    not: 'You do not watch this task.',
    start: 'Watch',
    mute: 'Mute',
  },
  people: (count: number) =>
    count === 0 ? 'Nobody with this name can see this task' : count === 1 ? '1 person' : `${count} people`,
  preferences: {
    title: 'Notifications',
    lead: 'Choose where you are notified.',
    reasons: {
      mentioned: 'Somebody mentions me',
      assigned: 'Something is assigned to me',
      approval: 'My approval is requested',
      due: 'A deadline of my task is reached',
      failed: 'An action fails on my task, or one that I started',
      watching: 'Anything else on tasks that I watch',
    } satisfies Record<NotificationReason, string>,
    channels: { mail: 'Inbox and mail', inbox: 'Inbox', off: 'Not at all' } satisfies Record<
      NotificationChannel,
      string
    >,
    default: (channel: string) => `Default (${channel})`,
  },
};
