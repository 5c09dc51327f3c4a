import { Controller, Get, Param, Post, Req, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request } from 'express';
import { type Reply } from '../common/reply.js';
import { reasons as reasonTypes } from '../messages/inbox/reasons.js';
import { type Unsubscription, Unsubscriptions } from '../messages/inbox/mail/unsubscriptions.js';
import { Public } from '../common/ops/health.controller.js';
import { PageFilter } from './page.filter.js';
import { pageReply } from './page.js';
import { type VNode } from 'preact';
import { Form } from './parts/form.js';
import { Card } from './pages/sign-in-page.js';

/**
 * The target of the links in letters (RFC 8058). A GET changes nothing, because mail scanners follow links. A POST may
 * come from mail programs, which send no `Origin`: it needs only the token, whoever sends it.
 */
@Controller('unsubscribe/:token')
@Public()
@ApiExcludeController()
@UseFilters(PageFilter)
export class UnsubscribeController {
  constructor(private readonly unsubscriptions: Unsubscriptions) {}

  @Get()
  async show(@Req() request: Request, @Param('token') token: string): Promise<Reply> {
    const { workspace, reasons } = await this.unsubscriptions.find(token);
    return pageReply(
      <Card title="Unsubscribe from these mails">
        <p>{workspace.name} sends you a mail when:</p>
        <Reasons reasons={reasons} />
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
    const { user, reasons } = await this.unsubscriptions.use(token);
    return pageReply(
      <Card title="You are unsubscribed">
        <p>No more mail goes to {user.email} when the following happens; your inbox still shows it:</p>
        <Reasons reasons={reasons} />
        <a class="button" href="/account">
          Change your notifications
        </a>
      </Card>,
    );
  }
}

const Reasons = ({ reasons }: Pick<Unsubscription, 'reasons'>): VNode => (
  <ul>
    {reasons.map((reason) => (
      <li>{reasonTypes[reason].name}</li>
    ))}
  </ul>
);
