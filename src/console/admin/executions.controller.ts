import { Get, Param, Post, Req } from '@nestjs/common';
import { type Reply } from '../../lib/reply.js';
import { FormBody } from '../form-body.js';
import { type PageRequest } from '../reader.js';
import { type Administrator, AdminPages, CurrentAdministrator } from './admin-pages.js';
import { ExecutionPages } from './execution-pages.js';

/** What was begun, and what came of it. */
@AdminPages('admin/executions')
export class AdminExecutionsController {
  constructor(private readonly pages: ExecutionPages) {}

  @Get()
  async list(@CurrentAdministrator() to: Administrator, @Req() request: PageRequest): Promise<Reply> {
    return this.pages.list(to, request);
  }

  @Get(':execution')
  async page(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('execution') id: string,
  ): Promise<Reply> {
    return this.pages.show({ to, request, id });
  }

  @Post(':execution/retry')
  async retry(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('execution') id: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.pages.retry({ to, request, id }, form);
  }

  @Post(':execution/cancel')
  async cancel(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('execution') id: string,
  ): Promise<Reply> {
    return this.pages.cancel({ to, request, id });
  }
}
