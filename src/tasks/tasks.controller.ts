import { CurrentScope } from '../workflows/model/current.decorators.js';
import { ForCreators } from '../common/request.js';
import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals, ApiTagged } from '../common/openapi/answers.js';
import { ref } from '../common/openapi/vocabulary.js';
import { Demanded } from './entity-tag.js';
import { Address, type RequestAddress } from '../common/http/paged-list.js';
import { readReply, writtenReply } from '../common/http/replies.js';
import { IdempotencyKey } from '../common/http/idempotency.js';
import { JsonPayload } from '../common/http/read-body.js';
import { FieldErrors } from '../common/field-errors.js';
import { type Reply } from '../common/reply.js';
import { type Precondition } from './store/task-row.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { ApiTaskList } from './tasks.dto.js';
import { TaskLists } from './list/task-lists.service.js';
import { TasksService } from './tasks.service.js';
import { type Write } from './write.js';
import { TaskWriter } from './write-task.js';
import { WriteQuery, WriteScope } from './write-scope.js';
import { type Scope } from '../workflows/model/scope.js';

@Controller('api/v1/workflows/:workflow_id/tasks')
@ApiTags('Tasks')
export class TasksController {
  constructor(
    private readonly tasks: TasksService,
    private readonly writer: TaskWriter,
    private readonly lists: TaskLists,
  ) {}

  @Get()
  @ApiTaskList('List or filter tasks')
  listTasks(@CurrentScope() scope: Scope, @Address() address: RequestAddress): Reply {
    return this.lists.list(scope, { ...onceEach(address), isActive: false });
  }

  @Get('active')
  @ApiTaskList('List the tasks that are not in an end stage')
  listActiveTasks(@CurrentScope() scope: Scope, @Address() address: RequestAddress): Reply {
    return this.lists.list(scope, { ...onceEach(address), isActive: true });
  }

  @Get(':unique_id')
  @ApiOperation({ summary: 'Read a task' })
  @ApiTagged({ schema: ref('Task') })
  async readTask(@CurrentScope() scope: Scope, @Param('unique_id') uniqueId: string): Promise<Reply> {
    return readReply(await this.tasks.read(scope, uniqueId));
  }

  @Post()
  @ForCreators()
  @ApiOperation({ summary: 'Create a task, or update the task with this Unique ID' })
  @ApiBody({ schema: ref('UpsertTask') })
  @ApiOkResponse({ schema: ref('Task') })
  @ApiCreatedResponse({ schema: ref('Task') })
  async upsertTask(
    @WriteScope() scope: Scope,
    @JsonPayload(WriteQuery) payload: JsonObject,
    @Demanded() precondition: Precondition,
    @IdempotencyKey() idempotencyKey: string | undefined,
  ): Promise<Reply> {
    const write: Write = { verb: 'upsert', payload, precondition, idempotencyKey };
    return writtenReply(await this.writer.write(scope, write));
  }

  @Put()
  @ApiOperation({ summary: 'Update the task with this Unique ID' })
  @ApiBody({ schema: ref('TaskUpdate') })
  @ApiOkResponse({ schema: ref('Task') })
  @ApiRefusals(409)
  async updateTask(
    @WriteScope() scope: Scope,
    @JsonPayload(WriteQuery) payload: JsonObject,
    @Demanded() precondition: Precondition,
  ): Promise<Reply> {
    return writtenReply(await this.writer.write(scope, { verb: 'update', payload, precondition }));
  }

  @Delete(':unique_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a task' })
  async deleteTask(
    @WriteScope(WriteQuery) scope: Scope,
    @Param('unique_id') uniqueId: string,
    @Demanded() precondition: Precondition,
  ): Promise<void> {
    await this.tasks.delete(scope, uniqueId, precondition);
  }
}

/** Refuses a repeated `_sort` or `_fields`, because the order of its values would be undefined. */
function onceEach(address: RequestAddress): RequestAddress {
  const errors = new FieldErrors();
  for (const name of ['_sort', '_fields'])
    if (address.query.getAll(name).length > 1)
      errors.add(name, 'is given twice: separate the names by commas');
  errors.throwIfAny();
  return address;
}
