import { CurrentScope } from '../workflows/model/current.decorators.js';
import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { sends } from '../common/openapi/answers.js';
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

/** The endpoints of interface.md 4.3. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/checklist_items')
@ApiTags('Checklists')
export class ChecklistsController {
  constructor(private readonly checklists: ChecklistsService) {}

  @Get()
  @ApiOperation({
    summary: 'List the items',
    description:
      'Items of the template come first, then those that were added, in the order of their creation.',
  })
  @ApiOkResponse({ description: 'The items.', type: [ChecklistItem] })
  async listChecklistItems(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Parameters(ChecklistItemsQuery) query: ChecklistItemsQuery,
  ): Promise<ChecklistItem[]> {
    return this.checklists.list(scope, uniqueId, query.Stage);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read an item', description: 'One item by its id.' })
  @ApiOkResponse({ description: 'The item.', type: ChecklistItem })
  async readChecklistItem(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('id') id: string,
  ): Promise<ChecklistItem> {
    return this.checklists.read(scope, uniqueId, id);
  }

  @Post()
  @ApiOperation({
    summary: 'Add an item',
    description: 'Adds an item after all others. It is `editable`; items of the template are not.',
  })
  @ApiBody({ type: NewChecklistItem })
  @ApiCreatedResponse({ description: 'The item.', type: ChecklistItem, headers: sends('Event-Id') })
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
  @ApiOperation({
    summary: 'Change an item',
    description:
      'Keys that the body does not name stay unchanged. In an item of the template, only `status` and `Assigned To` can change.',
  })
  @ApiBody({ type: ChecklistItemUpdate })
  @ApiOkResponse({ description: 'The item.', type: ChecklistItem, headers: sends('Event-Id') })
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
  @ApiOperation({
    summary: 'Remove an added item',
    description: 'Deletes an item that was added to the task; 422 for an item of the template.',
  })
  @ApiNoContentResponse({ description: 'The item was deleted.', headers: sends('Event-Id') })
  async removeChecklistItem(
    @WriteScope(WriteQuery) scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('id') id: string,
  ): Promise<void> {
    await this.checklists.remove(scope, uniqueId, id);
  }
}
