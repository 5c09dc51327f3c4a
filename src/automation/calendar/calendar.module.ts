import { Module } from '@nestjs/common';
import { CalendarController } from './calendar.controller.js';
import { CalendarFeedEntity } from './calendar-feed.entity.js';
import { CalendarFeeds } from './calendar-feeds.service.js';

@Module({ controllers: [CalendarController], providers: [CalendarFeeds], exports: [CalendarFeeds] })
export class CalendarFeedsModule {}

export const calendarFeature = { entities: [CalendarFeedEntity], modules: [CalendarFeedsModule] };
