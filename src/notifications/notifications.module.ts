import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { NotificationEntity } from '../entities/notification.entity.js';
import { WatcherEntity } from '../entities/watcher.entity.js';
import { Inboxes } from './inboxes.js';
import { Preferences } from './preferences.js';

/** What people are told of, and where they want to hear it. */
@Module({
  imports: [TypeOrmModule.forFeature([NotificationEntity, WatcherEntity])],
  providers: [Inboxes, Preferences],
  exports: [Inboxes, Preferences],
})
export class NotificationsModule {}
