import { CurrentScope } from '../workflows/model/current.decorators.js';
import { Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ref, listOf } from '../common/openapi/vocabulary.js';
import { Demanded } from '../tasks/entity-tag.js';
import { Address, PageQuery, type RequestAddress } from '../common/http/paged-list.js';
import { listReply } from '../common/http/replies.js';
import { type Reply } from '../common/reply.js';
import { Parameters } from '../common/http/query.decorator.js';
import { type Precondition } from '../tasks/store/task-row.js';
import { LinksService } from './links.service.js';
import { WriteQuery, WriteScope } from '../tasks/write-scope.js';
import { type Scope } from '../workflows/model/scope.js';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/links/:relationship')
@ApiTags('Links')
export class LinksController {
  constructor(private readonly links: LinksService) {}

  @Get()
  @ApiOperation({ summary: 'List the tasks at the other end of a relationship, always as an array' })
  @ApiOkResponse({ schema: listOf(ref('LinkedTask')) })
  async listLinkedTasks(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('relationship') relationship: string,
    @Parameters(PageQuery) page: PageQuery,
    @Address() address: RequestAddress,
  ): Promise<Reply> {
    return listReply(await this.links.list(scope, { task: uniqueId, relationship }, page, address));
  }

  @Put(':other_unique_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Link two tasks; a new link replaces the old link where only one is allowed' })
  async linkTask(
    @WriteScope(WriteQuery) scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('relationship') relationship: string,
    @Param('other_unique_id') other: string,
    @Demanded() precondition: Precondition,
  ): Promise<void> {
    await this.links.add(scope, { task: uniqueId, relationship }, other, precondition);
  }

  @Delete(':other_unique_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Unlink two tasks; 404 if they are not linked' })
  async unlinkTask(
    @WriteScope(WriteQuery) scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('relationship') relationship: string,
    @Param('other_unique_id') other: string,
    @Demanded() precondition: Precondition,
  ): Promise<void> {
    await this.links.remove(scope, { task: uniqueId, relationship }, other, precondition);
  }
}
