import { Get, Param, Post, Req } from '@nestjs/common';
import { type Reply } from '../../lib/reply.js';
import { FormBody } from '../form-body.js';
import { type PageRequest } from '../reader.js';
import { type Administrator, CurrentAdministrator, WorkspaceAdminPages } from './admin-pages.js';
import { KeyPages } from './key-pages.js';

/** The keys of programs: what they may do and when they were used, and each key once, when it is made. */
@WorkspaceAdminPages('admin/keys')
export class AdminKeysController {
  constructor(private readonly pages: KeyPages) {}

  @Get()
  async list(@CurrentAdministrator() to: Administrator, @Req() request: PageRequest): Promise<Reply> {
    return this.pages.list(to, request);
  }

  @Get('new')
  new(@CurrentAdministrator() to: Administrator): Reply {
    return this.pages.new(to);
  }

  @Post()
  async make(@CurrentAdministrator() to: Administrator, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.pages.make(to, form);
  }

  @Get(':key/rotate')
  async askToRotate(@CurrentAdministrator() to: Administrator, @Param('key') id: string): Promise<Reply> {
    return this.pages.askToRotate(to, id);
  }

  @Post(':key/rotate')
  async rotate(
    @CurrentAdministrator() to: Administrator,
    @Param('key') id: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.pages.rotate(to, id, form);
  }

  @Post(':key/revoke')
  async revoke(@CurrentAdministrator() to: Administrator, @Param('key') id: string): Promise<Reply> {
    return this.pages.revoke(to, id);
  }
}
