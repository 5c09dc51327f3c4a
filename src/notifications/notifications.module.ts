import { Module } from '@nestjs/common';
import { MessagesModule } from '../messages/messages.module.js';
import { Inboxes } from './inboxes.js';
import { NotificationLetters } from './mail/notification-letters.js';
import { NotificationMailer } from './mail/notification-mailer.js';
import { Unsubscriptions } from './mail/unsubscriptions.js';
import { Preferences } from './preferences.js';

/** Notifications, and the choices of their channels. */
@Module({
  imports: [MessagesModule],
  providers: [Inboxes, NotificationLetters, NotificationMailer, Preferences, Unsubscriptions],
  exports: [Inboxes, Preferences, Unsubscriptions],
})
export class NotificationsModule {}
