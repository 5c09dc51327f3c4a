import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req } from '@nestjs/common';
import { type Request } from 'express';
import { ForCreators } from '../auth/api-key.guard.js';
import { CurrentScope } from '../auth/current.decorators.js';
import { Demanded } from '../http/etag.js';
import { Address, type RequestAddress } from '../http/paged-list.js';
import { readReply, writtenReply } from '../http/replies.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { JsonPayload } from '../http/read-body.js';
import { FieldErrors } from '../lib/field-errors.js';
import { type Reply } from '../lib/reply.js';
import { type Precondition } from '../task-store/task-row.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { refuseHeaders } from './batch/batch.service.js';
import { TasksDeleted } from './tasks.dto.js';
import { TaskLists } from './list/task-lists.service.js';
import { TasksService } from './tasks.service.js';
import { TaskWriter, type Write } from './write-task.js';
import { WriteQuery, WriteScope } from '../http/silence.js';
import { type Scope } from '../workspace/scope.js';

/** The endpoints of interface.md 4.1. */
@Controller('api/v1/workflows/:workflow_id/tasks')
export class TasksController {
  constructor(
    private readonly tasks: TasksService,
    private readonly writer: TaskWriter,
    private readonly lists: TaskLists,
  ) {}

  @Get()
  list(@CurrentScope() scope: Scope, @Address() address: RequestAddress): Reply {
    return this.lists.list(scope, { ...onceEach(address), isActive: false });
  }

  @Get('active')
  active(@CurrentScope() scope: Scope, @Address() address: RequestAddress): Reply {
    return this.lists.list(scope, { ...onceEach(address), isActive: true });
  }

  @Get(':unique_id')
  async read(@CurrentScope() scope: Scope, @Param('unique_id') uniqueId: string): Promise<Reply> {
    return readReply(await this.tasks.read(scope, uniqueId));
  }

  @Post()
  @ForCreators()
  async upsert(
    @WriteScope() scope: Scope,
    @JsonPayload(WriteQuery) payload: JsonObject,
    @Demanded() precondition: Precondition,
    @IdempotencyKey() idempotencyKey: string | undefined,
  ): Promise<Reply> {
    const write: Write = { verb: 'upsert', payload, precondition, idempotencyKey };
    return writtenReply(await this.writer.write(scope, write));
  }

  @Put()
  async update(
    @WriteScope() scope: Scope,
    @JsonPayload(WriteQuery) payload: JsonObject,
    @Demanded() precondition: Precondition,
  ): Promise<Reply> {
    return writtenReply(await this.writer.write(scope, { verb: 'update', payload, precondition }));
  }

  @Delete()
  async deleteFound(
    @WriteScope() scope: Scope,
    @Req() request: Request,
    @Address() { query }: RequestAddress,
  ): Promise<TasksDeleted> {
    refuseHeaders(request);
    return { deleted: await this.tasks.deleteFound(scope, query) };
  }

  @Delete(':unique_id')
  @HttpCode(204)
  async delete(
    @WriteScope(WriteQuery) scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Demanded() precondition: Precondition,
  ): Promise<void> {
    await this.tasks.delete(scope, uniqueId, precondition);
  }
}

/** Refuses names in several parameters: programs would rely on an order of them that nothing promises. */
function onceEach(address: RequestAddress): RequestAddress {
  const errors = new FieldErrors();
  for (const name of ['_sort', '_fields'])
    if (address.query.getAll(name).length > 1)
      errors.add(name, 'is given twice; several names are separated by commas');
  errors.throwIfAny();
  return address;
}
