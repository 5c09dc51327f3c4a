import { Get, Param, Post, Req } from '@nestjs/common';
import { type Reply } from '../../lib/reply.js';
import { FormBody } from '../form-body.js';
import { type PageRequest } from '../reader.js';
import { type Administrator, CurrentAdministrator, WorkspaceAdminPages } from './admin-pages.js';
import { WebhookFormPages } from './webhook-form-pages.js';
import { WebhookPages } from './webhook-pages.js';

/** Who is told of events, and whether it gets through. */
@WorkspaceAdminPages('admin/webhooks')
export class AdminWebhooksController {
  constructor(
    private readonly pages: WebhookPages,
    private readonly forms: WebhookFormPages,
  ) {}

  @Get()
  async list(@CurrentAdministrator() to: Administrator, @Req() request: PageRequest): Promise<Reply> {
    return this.pages.list(to, request);
  }

  @Post()
  async add(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.add({ to, request }, form);
  }

  @Get(':webhook/edit')
  async edit(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('webhook') id: string,
  ): Promise<Reply> {
    return this.forms.edit({ to, request, id });
  }

  @Post(':webhook/edit')
  async save(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('webhook') id: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.save({ to, request, id }, form);
  }

  @Post(':webhook/remove')
  async remove(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('webhook') id: string,
  ): Promise<Reply> {
    return this.forms.remove({ to, request, id });
  }

  @Post(':webhook/rotate')
  async rotate(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('webhook') id: string,
  ): Promise<Reply> {
    return this.forms.rotate({ to, request, id });
  }

  @Get(':webhook/live')
  wait(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('webhook') id: string,
  ): Reply {
    return this.pages.wait({ to, request, id });
  }

  @Get(':webhook')
  async page(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('webhook') id: string,
  ): Promise<Reply> {
    return this.pages.show({ to, request, id });
  }

  @Post(':webhook/pause')
  async pause(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('webhook') id: string,
  ): Promise<Reply> {
    return this.pages.pause({ to, request, id });
  }

  @Post(':webhook/enable')
  async enable(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('webhook') id: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.pages.enable({ to, request, id }, form);
  }

  @Post(':webhook/test')
  async test(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('webhook') id: string,
  ): Promise<Reply> {
    return this.pages.test({ to, request, id });
  }

  @Post(':webhook/replay')
  async replay(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('webhook') id: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.pages.replay({ to, request, id }, form);
  }
}
