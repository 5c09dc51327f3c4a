import { Get, Param, Req } from '@nestjs/common';
import { type Reply } from '../../lib/reply.js';
import { type PageRequest } from '../reader.js';
import { type Administrator, CurrentAdministrator, WorkspaceAdminPages } from './admin-pages.js';
import { DefinitionPages } from './definition-pages.js';

/** The definition in force, and how it came to be what it is. */
@WorkspaceAdminPages('admin/definition')
export class AdminDefinitionController {
  constructor(private readonly pages: DefinitionPages) {}

  @Get()
  async page(@CurrentAdministrator() to: Administrator): Promise<Reply> {
    return this.pages.show(to);
  }

  @Get('file')
  file(@CurrentAdministrator() to: Administrator): Reply {
    return this.pages.file(to);
  }

  @Get('workflows/:workflow')
  workflow(@CurrentAdministrator() to: Administrator, @Param('workflow') slug: string): Reply {
    return this.pages.workflow(to, slug);
  }

  @Get('versions')
  async versions(@CurrentAdministrator() to: Administrator, @Req() request: PageRequest): Promise<Reply> {
    return this.pages.versions(to, request);
  }

  @Get('versions/:version')
  async version(
    @CurrentAdministrator() to: Administrator,
    @Param('version') version: string,
  ): Promise<Reply> {
    return this.pages.version(to, version);
  }
}
