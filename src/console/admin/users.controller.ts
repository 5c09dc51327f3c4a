import { Get, Param, Post, Req } from '@nestjs/common';
import { type Reply } from '../../lib/reply.js';
import { type PageRequest } from '../reader.js';
import { type Administrator, CurrentAdministrator, WorkspaceAdminPages } from './admin-pages.js';
import { UserPages } from './user-pages.js';

/** Who works here, where they are signed in, and how they get in. */
@WorkspaceAdminPages('admin/users')
export class AdminUsersController {
  constructor(private readonly pages: UserPages) {}

  @Get()
  async list(@CurrentAdministrator() to: Administrator, @Req() request: PageRequest): Promise<Reply> {
    return this.pages.list(to, request);
  }

  @Get(':user')
  async page(
    @CurrentAdministrator() to: Administrator,
    @Req() request: PageRequest,
    @Param('user') id: string,
  ): Promise<Reply> {
    return this.pages.show(to, request, id);
  }

  @Post(':user/link')
  async link(@CurrentAdministrator() to: Administrator, @Param('user') id: string): Promise<Reply> {
    return this.pages.link(to, id);
  }

  @Post(':user/sign-out')
  async signOut(@CurrentAdministrator() to: Administrator, @Param('user') id: string): Promise<Reply> {
    return this.pages.signOut(to, id);
  }
}
