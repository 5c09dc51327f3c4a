import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { contentReply } from '../../common/http/replies.js';
import { Public } from '../../common/ops/health.controller.js';
import { type Reply } from '../../common/reply.js';
import { CalendarFeeds } from './calendar-feeds.service.js';

/** Serves calendars to other programs. Whoever knows an address may read its calendar. */
@Controller('calendar')
@Public()
@ApiExcludeController()
export class CalendarController {
  constructor(private readonly feeds: CalendarFeeds) {}

  @Get(':token.ics')
  async read(@Param('token') token: string): Promise<Reply> {
    const headers = { 'Content-Type': 'text/calendar; charset=utf-8', 'Cache-Control': 'private, no-store' };
    return contentReply(await this.feeds.read(token), headers);
  }
}
