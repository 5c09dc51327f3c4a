import { oldNotifications } from './inbox.repository.js';
import { MailWindowEntity } from './mail-window.entity.js';
import { notificationMail } from './mail/notification-mail.job.js';
import { NotificationEntity } from './notification.entity.js';
import { notificationsFollower } from './notifications-follower.js';
import { NotificationsModule } from './notifications.module.js';
import { WatcherEntity } from './watcher.entity.js';

export const notificationsFeature = {
  entities: [MailWindowEntity, NotificationEntity, WatcherEntity],
  jobs: [notificationMail],
  followers: [notificationsFollower],
  leftovers: [oldNotifications],
  modules: [NotificationsModule],
};
