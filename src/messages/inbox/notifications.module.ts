import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { MessagesModule } from '../messages.module.js';
import { Inboxes } from './inboxes.js';
import { LiveChanges } from './live-changes.js';
import { NotificationLetters } from './mail/notification-letters.js';
import { NotificationMailer, notificationMail } from './mail/notification-mail.job.js';
import { Unsubscriptions } from './mail/unsubscriptions.js';
import { Preferences } from './preferences.js';
import { oldNotifications } from './inbox.repository.js';
import { NotificationEntity, WatcherEntity, MailWindowEntity } from './notification.entity.js';
import { notificationsFollower } from './notifications-follower.js';

@Module({
  imports: [EventsModule, MessagesModule],
  providers: [Inboxes, LiveChanges, NotificationLetters, NotificationMailer, Preferences, Unsubscriptions],
  exports: [Inboxes, LiveChanges, Preferences, Unsubscriptions],
})
export class NotificationsModule {}

export const notificationsFeature = {
  entities: [MailWindowEntity, NotificationEntity, WatcherEntity],
  jobs: [notificationMail],
  followers: [notificationsFollower],
  leftovers: [oldNotifications],
  modules: [NotificationsModule],
};
