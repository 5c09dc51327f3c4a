import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { MessagesModule } from '../messages.module.js';
import { Inboxes } from './inboxes.js';
import { LiveChanges } from './live-changes.js';
import { NotificationLetters } from './mail/notification-letters.js';
import { NotificationMailer } from './mail/notification-mailer.js';
import { Unsubscriptions } from './mail/unsubscriptions.js';
import { Preferences } from './preferences.js';

@Module({
  imports: [EventsModule, MessagesModule],
  providers: [Inboxes, LiveChanges, NotificationLetters, NotificationMailer, Preferences, Unsubscriptions],
  exports: [Inboxes, LiveChanges, Preferences, Unsubscriptions],
})
export class NotificationsModule {}
