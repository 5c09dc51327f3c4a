import { type NotificationReason } from '../../database/column-values.js';

/** What the pages about mail say in English. */
export const mailEn = {
  unsubscribe: {
    title: 'Unsubscribe from these mails',
    asks: (workspace: string) => `${workspace} sends you a mail when:`,
    button: 'Unsubscribe',
    done: 'You are unsubscribed',
    doneMore: (email: string) =>
      `No more mail goes to ${email} when the following happens; your inbox still shows it:`,
    account: 'Change your notifications',
    reasons: {
      mentioned: 'somebody mentions you',
      assigned: 'something is assigned to you',
      approval: 'your approval is asked for',
      due: 'a task of yours is due',
      failed: 'an action fails',
      watching: 'a task changes that you watch',
    } satisfies Record<NotificationReason, string>,
  },
  undeliverable: {
    title: 'Mail to you cannot be delivered',
    since: (email: string) =>
      `A mail server has permanently refused mail to ${email}. None has been sent since`,
    again: 'My address works again',
    mark: 'Mail undeliverable',
  },
};
