import { type NotificationReason } from '../../entities/column-values.js';

/** What the pages about mail say in English. */
export const mailEn = {
  unsubscribe: {
    title: 'Get no more mail of this kind',
    asks: (workspace: string) => `${workspace} mails you when:`,
    button: 'End these mails',
    done: 'These mails have ended',
    doneMore: (email: string) =>
      `Your inbox still tells you when the following happens, but no mail goes to ${email}:`,
    account: 'Choose what you want to hear of',
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
    title: 'Your mail comes back',
    since: (email: string) =>
      `A mail server has refused mail to ${email} for good, so no more of it is sent since`,
    again: 'It works again',
    mark: 'Mail comes back',
  },
};
