import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../access/auth.module.js';
import { EventEntity, EventChunkEntity, EventStreamEntity, FormerNameEntity } from './event.entity.js';
import { eventData, eventTypes } from '../common/named-by-features.js';
import { describeEventData } from './event.dto.js';
import { EventFeed } from './event-feed.js';
import { EventsController, HistoryController } from './events.controller.js';
import { EventsService } from './events.service.js';
import { EventWaiters } from './event-waiters.js';
import { HistoryService } from './history.service.js';
import { eventSweep } from './sweep-events.js';
import { FollowerEntity, EventSetAsideEntity } from './followers/follower.entity.js';
import { oldSetAside } from './followers/followers.repository.js';

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([EventEntity])],
  controllers: [EventsController, HistoryController],
  providers: [EventFeed, EventsService, EventWaiters, HistoryService],
  exports: [EventFeed, EventsService, EventWaiters, HistoryService],
})
export class EventsModule {
  constructor() {
    describeEventData(eventData, eventTypes);
  }
}

export const eventsFeature = {
  entities: [
    EventEntity,
    EventStreamEntity,
    EventChunkEntity,
    FormerNameEntity,
    FollowerEntity,
    EventSetAsideEntity,
  ],
  periodic: [eventSweep],
  leftovers: [oldSetAside],
  modules: [EventsModule],
};
