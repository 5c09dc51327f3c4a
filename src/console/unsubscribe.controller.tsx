import { Controller, Get, Param, Post, Req, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request } from 'express';
import { type Reply } from '../common/reply.js';
import { Unsubscriptions } from '../messages/inbox/mail/unsubscriptions.js';
import { Public } from '../common/ops/health.controller.js';
import { PageFilter } from './page.filter.js';
import { pageReply } from './page.js';
import { UnsubscribedPage, UnsubscribePage } from './pages/unsubscribe-page.js';

/**
 * Where the links in letters lead (RFC 8058). A GET changes nothing, as scanners of mails follow links. A POST comes from mail
 * programs, too, which send no `Origin`: what it may do is what its token says, whoever has it.
 */
@Controller('unsubscribe/:token')
@Public()
@ApiExcludeController()
@UseFilters(PageFilter)
export class UnsubscribeController {
  constructor(private readonly unsubscriptions: Unsubscriptions) {}

  @Get()
  async show(@Req() request: Request, @Param('token') token: string): Promise<Reply> {
    const found = await this.unsubscriptions.find(token);
    return pageReply(<UnsubscribePage found={found} path={request.path} />);
  }

  @Post()
  async use(@Param('token') token: string): Promise<Reply> {
    const found = await this.unsubscriptions.use(token);
    return pageReply(<UnsubscribedPage found={found} />);
  }
}
