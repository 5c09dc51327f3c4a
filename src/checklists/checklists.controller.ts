import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CurrentScope } from '../auth/current.decorators.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { createdReply } from '../http/replies.js';
import { type Reply } from '../lib/reply.js';
import { SmallJsonPayload } from '../http/read-body.js';
import { Parameters } from '../http/query.decorator.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { ChecklistItemsQuery, type ChecklistItem } from './checklist-item.dto.js';
import { ChecklistsService } from './checklists.service.js';
import { WriteQuery, WriteScope } from '../http/silence.js';
import { type Scope } from '../workspace/scope.js';

/** The endpoints of interface.md 4.3. */
@Controller('api/v1/workflows/:workflow_id/tasks/:unique_id/checklist_items')
export class ChecklistsController {
  constructor(private readonly checklists: ChecklistsService) {}

  @Get()
  async list(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Parameters(ChecklistItemsQuery) query: ChecklistItemsQuery,
  ): Promise<ChecklistItem[]> {
    return this.checklists.list(scope, uniqueId, query.Stage);
  }

  @Get(':id')
  async read(
    @CurrentScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('id') id: string,
  ): Promise<ChecklistItem> {
    return this.checklists.read(scope, uniqueId, id);
  }

  @Post()
  async add(
    @WriteScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @SmallJsonPayload(WriteQuery) payload: JsonObject,
    @IdempotencyKey() idempotencyKey: string | undefined,
  ): Promise<Reply> {
    const item = await this.checklists.add(scope, uniqueId, payload, idempotencyKey);
    return createdReply(item, item.id);
  }

  @Put(':id')
  async change(
    @WriteScope() scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('id') id: string,
    @SmallJsonPayload(WriteQuery) payload: JsonObject,
  ): Promise<ChecklistItem> {
    return this.checklists.change(scope, uniqueId, id, payload);
  }

  @Delete(':id')
  @HttpCode(204)
  async remove(
    @WriteScope(WriteQuery) scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Param('id') id: string,
  ): Promise<void> {
    await this.checklists.remove(scope, uniqueId, id);
  }
}
