import { CurrentScope } from '../workflows/model/current.decorators.js';
import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { IdempotencyKey } from '../common/http/idempotency.js';
import { createdReply } from '../common/http/replies.js';
import { type Reply } from '../common/reply.js';
import { SmallJsonPayload } from '../common/http/read-body.js';
import { Parameters } from '../common/http/query.decorator.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import {
  ChecklistItemsQuery,
  ChecklistItem,
  NewChecklistItem,
  ChecklistItemUpdate,
} from './checklist-item.dto.js';
import { ChecklistsService } from './checklists.service.js';
import { WriteQuery, WriteScope } from '../tasks/write-scope.js';
import { type Scope } from '../workflows/model/scope.js';

@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/checklist_items')
@ApiTags('Checklists')
export class ChecklistsController {
  constructor(private readonly checklists: ChecklistsService) {}

  @Get()
  @ApiOperation({ summary: 'List the items' })
  @ApiOkResponse({ type: [ChecklistItem] })
  async listChecklistItems(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Parameters(ChecklistItemsQuery) query: ChecklistItemsQuery,
  ): Promise<ChecklistItem[]> {
    return this.checklists.list(scope, uniqueId, query.Stage);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read an item' })
  @ApiOkResponse({ type: ChecklistItem })
  async readChecklistItem(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('id') id: string,
  ): Promise<ChecklistItem> {
    return this.checklists.read(scope, uniqueId, id);
  }

  @Post()
  @ApiOperation({ summary: 'Add an item' })
  @ApiBody({ type: NewChecklistItem })
  @ApiCreatedResponse({ type: ChecklistItem })
  async addChecklistItem(
    @WriteScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @SmallJsonPayload(WriteQuery) payload: JsonObject,
    @IdempotencyKey() idempotencyKey: string | undefined,
  ): Promise<Reply> {
    const item = await this.checklists.add(scope, uniqueId, payload, idempotencyKey);
    return createdReply(item, item.id);
  }

  @Put(':id')
  @ApiOperation({ summary: 'Change an item' })
  @ApiBody({ type: ChecklistItemUpdate })
  @ApiOkResponse({ type: ChecklistItem })
  async changeChecklistItem(
    @WriteScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('id') id: string,
    @SmallJsonPayload(WriteQuery) payload: JsonObject,
  ): Promise<ChecklistItem> {
    return this.checklists.change(scope, uniqueId, id, payload);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove an added item; 422 for an item of the template' })
  async removeChecklistItem(
    @WriteScope(WriteQuery) scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('id') id: string,
  ): Promise<void> {
    await this.checklists.remove(scope, uniqueId, id);
  }
}
