import { Controller, Get, Param, Post, Req, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request } from 'express';
import { type Reply } from '../common/reply.js';
import { Unsubscriptions } from '../messages/inbox/mail/unsubscriptions.js';
import { Public } from '../common/ops/health.controller.js';
import { PageFilter } from './page.filter.js';
import { pageReply } from './page.js';
import { Form } from './parts/form.js';
import { Card } from './pages/sign-in-page.js';

/**
 * The target of the unsubscribe links in mails (RFC 8058). A GET changes nothing, because mail scanners
 * follow links. Mail programs send the POST without `Origin`, so the POST needs only the token.
 */
@Controller('unsubscribe/:token')
@Public()
@ApiExcludeController()
@UseFilters(PageFilter)
export class UnsubscribeController {
  constructor(private readonly unsubscriptions: Unsubscriptions) {}

  @Get()
  async show(@Req() request: Request, @Param('token') token: string): Promise<Reply> {
    const { workspace, letter } = await this.unsubscriptions.find(token);
    return pageReply(
      <Card title="Unsubscribe from these mails">
        <p>
          {workspace.name} sends you {names[letter]}.
        </p>
        <Form action={request.path} data-turbo="false">
          <button type="submit" class="primary">
            Unsubscribe
          </button>
        </Form>
      </Card>,
    );
  }

  @Post()
  async use(@Param('token') token: string): Promise<Reply> {
    const { user, letter } = await this.unsubscriptions.use(token);
    return pageReply(
      <Card title="You are unsubscribed">
        <p>
          {user.email} gets no more {names[letter]}. Your inbox still shows everything.
        </p>
        <a class="button" href="/account">
          Change your notifications
        </a>
      </Card>,
    );
  }
}

const names = { prompt: 'mail about notifications', digest: 'daily digests' };
