import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { BatchesController } from './batch/batch.controller.js';
import { TasksController } from './tasks.controller.js';
import { PageQuery } from '../http/paged-list.js';
import { Flag } from '../http/query.decorator.js';
import { TasksDeleted } from './tasks.dto.js';
import { BatchLine, BatchQuery, SyncLine } from './batch/batch.dto.js';
import {
  type Answer,
  body,
  empty,
  json,
  listOf,
  type Parameter,
  parameters,
  ref,
  type Schema,
} from '../openapi/vocabulary.js';
import { WriteQuery } from '../http/silence.js';
import { describe, type OperationGroup, type Operation } from '../openapi/operation.js';

const { ifMatch, ifNoneMatch, unless, idempotencyKey } = parameters;
const ndjson = 'application/x-ndjson';

const filters: Parameter = {
  name: 'filters',
  in: 'query',
  description:
    'Any field with a value; several values mean any of them, an empty one means blank. Behind the name may stand `[ne]`, `[gt]`, `[gte]`, `[lt]`, `[lte]` or `[contains]`. `Relationship.Field` is a field of a linked task, at most two in a query.',
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    // Without it, Swagger UI fills in three example filters.
    default: {},
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  },
};

/** The parameters of a list, except filters, whose names depend on the workflow; `parseListQuery` reads all of them. */
class TasksQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Up to 4 keys with commas between them; `-` in front turns the order round.',
    type: String,
  })
  readonly _sort: unknown;

  @ApiPropertyOptional({
    description:
      'Words, 10 at most and 200 characters in all: each is the beginning of one in the Unique ID or a text of the task. Where the definition of the workflow says `search: true`.',
    type: String,
  })
  readonly _search: unknown;

  @ApiPropertyOptional({
    description:
      'true: tasks of which a clock is overdue; false: those of which none is; or the id of a clock, of those whose clock is overdue.',
    type: String,
  })
  readonly _overdue: unknown;

  @ApiPropertyOptional({
    description: 'true: tasks that are open, in a stage that is no end; false: those that are at an end.',
    type: Boolean,
  })
  readonly _active: unknown;

  @ApiPropertyOptional({
    description: 'A query of filters, percent-encoded, any of which is to be true; given twice, one of each.',
    type: [String],
    maxItems: 2,
  })
  readonly _any: unknown;

  @ApiPropertyOptional({ description: 'The keys to show, with commas between them.', type: String })
  readonly _fields: unknown;

  @Flag('Whether `X-Total-Count` is wanted.')
  readonly _count: unknown;
}

/** Parameters of a deletion by filter; `parseDeletion` reads all of them. */
class DeletionQuery extends PickType(TasksQuery, ['_search', '_overdue', '_active', '_any']) {
  @ApiProperty({
    description: 'How many tasks are to be deleted: nothing happens where the filter finds another number.',
    type: 'integer',
    minimum: 0,
    maximum: 1000,
  })
  readonly _expect: unknown;

  @Flag('No rule follows the write, and nobody is notified of it. Takes a key of scope `admin`.')
  readonly _silent: unknown;
}

const list: Omit<Operation, 'id' | 'summary'> = {
  description:
    'In the order of their creation, unless `_sort` says another; complete, or in pages by `_limit`: `Link` leads to the next. Any field with a value is a filter.',
  query: TasksQuery,
  parameters: [filters, parameters.preferEither],
  answers: {
    200: json('The tasks.', listOf(ref('ListedTask')), [
      'Link',
      'X-Total-Count',
      'Server-Timing',
      'As-Of',
      'Preference-Applied',
    ]),
  },
};

const sent = (schema: string): Pick<Operation, 'body' | 'refusals'> => ({
  body: { type: 'application/json', schema: ref(schema) },
  refusals: ['409', '412', '413', '415'],
});

const group: OperationGroup = {
  name: 'Tasks',
  description: 'The tasks of a workflow.',
  models: [BatchLine, SyncLine, TasksDeleted],
};

const rowDeletion: Schema = {
  description: 'The Unique ID of a task that is to be deleted.',
  type: 'object',
  properties: { _delete: { type: 'boolean', enum: [true] } },
  required: ['_delete'],
};

const batchLine = { anyOf: [ref('BatchLine'), ref('SyncLine')] };

/** Also describes the answer to an invalid parameter. */
const refusedBatch = (): Answer => {
  const lines = body('The rows that were refused, where it is all or nothing.', ndjson, ref('BatchLine'), [
    'Connection',
  ]);
  return { ...lines, content: { ...lines.content, 'application/json': { schema: ref('FieldErrors') } } };
};

export function describeTasks(): OperationGroup {
  describe(BatchesController, group, {
    write: {
      id: 'writeTasks',
      summary: 'Create or update many tasks',
      description:
        'Each row is written as a POST would write it, in order; each line of the answer tells what became of one. `{"_delete": true}` beside the Unique ID deletes the task.',
      query: BatchQuery,
      body: {
        type: 'application/json',
        schema: listOf({ anyOf: [ref('UpsertTask'), rowDeletion] }),
        others: { [ndjson]: { type: 'string', description: 'A task in each line, as many as you like.' } },
      },
      answers: {
        200: body('A line for each row; behind them, with `_sync`, one of the sync.', ndjson, batchLine),
        422: refusedBatch(),
      },
      refusals: ['412', '413', '415'],
    },
  });
  return describe(TasksController, group, {
    list: { id: 'listTasks', summary: 'List or filter tasks', ...list },
    active: { id: 'listActiveTasks', summary: 'List the tasks that are not in an end stage', ...list },
    read: {
      id: 'readTask',
      summary: 'Read a task',
      description:
        'With its fields and its linked tasks. `ETag` is its version, for `If-Match` of a later write.',
      parameters: [ifNoneMatch],
      answers: { 200: json('The task.', 'Task', ['ETag']), 304: empty('The client has it.', ['ETag']) },
    },
    upsert: {
      id: 'upsertTask',
      summary: 'Create a task, or update the one with this Unique ID',
      description:
        'A task with this Unique ID is updated by the keys that the body names; else one is created, in the initial stage unless `Stage` says another. Relationship keys hold the complete set of links.',
      query: WriteQuery,
      parameters: [ifMatch, unless, idempotencyKey],
      answers: {
        200: json('The task was updated.', 'Task', ['ETag', 'Event-Id']),
        201: json('The task was created.', 'Task', ['ETag', 'Location', 'Event-Id']),
      },
      ...sent('UpsertTask'),
    },
    update: {
      id: 'updateTask',
      summary: 'Update the task with this Unique ID',
      description:
        'The body names the task by its Unique ID, and holds the keys to change; the others stay. 404 where there is no such task: nothing is created.',
      query: WriteQuery,
      parameters: [ifMatch, unless],
      answers: { 200: json('The task was updated.', 'Task', ['ETag', 'Event-Id']) },
      ...sent('TaskUpdate'),
    },
    deleteFound: {
      id: 'deleteTasks',
      summary: 'Delete all tasks that a filter finds',
      description:
        'All or none, in one transaction in which they are counted: 412 with `found` where they are not as many as `_expect` says. At least one filter is needed; links, attachments, comments and checklists go with the tasks.',
      query: DeletionQuery,
      parameters: [filters],
      answers: { 200: json('They are gone.', 'TasksDeleted', ['Event-Id']) },
      refusals: ['412'],
    },
    delete: {
      id: 'deleteTask',
      summary: 'Delete a task for good',
      description:
        'With its links, attachments, comments and checklist. Executions that are pending end as `Fail`.',
      query: WriteQuery,
      parameters: [ifMatch, unless],
      answers: { 204: empty('It is gone.', ['Event-Id']) },
      refusals: ['412'],
    },
  });
}
