import { Module } from '@nestjs/common';
import { CalendarsController } from './calendars.controller.js';

@Module({ controllers: [CalendarsController] })
export class SchedulesModule {}
