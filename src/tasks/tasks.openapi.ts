import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
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
    'Any field with a value; several values mean any of them, an empty one means blank. `[ne]`, `[gt]`, `[gte]`, `[lt]`, `[lte]` or `[contains]` may follow the name. `Relationship.Field` is a field of a linked task, at most two in a query.',
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    // Without it, Swagger UI fills in three example filters.
    default: {},
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  },
};

/** The parameters that choose tasks, except filters, whose names depend on the workflow. */
class ChoosingQuery {
  @ApiPropertyOptional({
    description:
      'Up to 10 words, of 200 characters in total. Each must begin a word in the Unique ID or in a text of the task. Only if the definition of the workflow has `search: true`.',
    type: String,
  })
  readonly _search: unknown;

  @ApiPropertyOptional({
    description:
      'true: tasks with an overdue clock; false: tasks without one; the id of a clock: tasks whose clock of this id is overdue.',
    type: String,
  })
  readonly _overdue: unknown;

  @ApiPropertyOptional({
    description: 'true: only tasks that are not in an end stage; false: only tasks in an end stage.',
    type: Boolean,
  })
  readonly _active: unknown;

  @ApiPropertyOptional({
    description: 'Filters joined by OR, percent-encoded. If repeated, each parameter must hold.',
    type: [String],
    maxItems: 2,
  })
  readonly _any: unknown;
}

/** The other parameters of a list; `parseListQuery` reads all of them. */
class TasksQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Up to 4 keys, separated by commas; `-` in front of a key reverses its order.',
    type: String,
  })
  readonly _sort: unknown;

  @ApiPropertyOptional({ description: 'The keys to show, separated by commas.', type: String })
  readonly _fields: unknown;

  @Flag('Adds the header `X-Total-Count`.')
  readonly _count: unknown;
}

/** Parameters of a deletion by filter; `parseDeletion` reads all of them. */
class DeletionQuery extends ChoosingQuery {
  @ApiProperty({
    description: 'How many tasks must be deleted: if the filter finds another number, nothing happens.',
    type: 'integer',
    minimum: 0,
    maximum: 1000,
  })
  readonly _expect: unknown;

  @Flag('No rule follows the write, and nobody is notified of it. Needs a key of scope `admin`.')
  readonly _silent: unknown;
}

const list: Omit<Operation, 'id' | 'summary'> = {
  description:
    'In the order of creation, or of `_sort`; complete, or with `_limit` in pages: `Link` leads to the next page. Any field with a value is a filter.',
  query: [TasksQuery, ChoosingQuery],
  parameters: [filters],
  answers: {
    200: json('The tasks.', listOf(ref('ListedTask')), ['Link', 'X-Total-Count', 'Server-Timing']),
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
  description: 'The Unique ID of a task to delete.',
  type: 'object',
  properties: { _delete: { type: 'boolean', enum: [true] } },
  required: ['_delete'],
};

const batchLine = { anyOf: [ref('BatchLine'), ref('SyncLine')] };

/** Also describes the answer to an invalid parameter. */
const refusedBatch = (): Answer => {
  const lines = body('With `_atomic`: the rows that were refused.', ndjson, ref('BatchLine'), ['Connection']);
  return { ...lines, content: { ...lines.content, 'application/json': { schema: ref('FieldErrors') } } };
};

export function describeTasks(): OperationGroup {
  describe(BatchesController, group, {
    write: {
      id: 'writeTasks',
      summary: 'Create or update many tasks',
      description:
        'Each row is written as by a POST, in order; the answer has a line for each row. `{"_delete": true}` beside the Unique ID deletes the task.',
      query: BatchQuery,
      body: {
        type: 'application/json',
        schema: listOf({ anyOf: [ref('UpsertTask'), rowDeletion] }),
        others: { [ndjson]: { type: 'string', description: 'A task in each line; any number of lines.' } },
      },
      answers: {
        200: body('A line for each row; with `_sync`, a last line for the sync.', ndjson, batchLine),
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
      answers: { 200: json('The task.', 'Task', ['ETag']), 304: empty('Not modified.', ['ETag']) },
    },
    upsert: {
      id: 'upsertTask',
      summary: 'Create a task, or update the one with this Unique ID',
      description:
        'If a task has this Unique ID, the keys in the body are updated; otherwise a task is created, in `Stage` or the initial stage. Relationship keys hold the complete set of links.',
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
        'The body holds the Unique ID of the task and the keys to change; other keys stay unchanged. If there is no task, the answer is 404.',
      query: WriteQuery,
      parameters: [ifMatch, unless],
      answers: { 200: json('The task was updated.', 'Task', ['ETag', 'Event-Id']) },
      ...sent('TaskUpdate'),
    },
    deleteFound: {
      id: 'deleteTasks',
      summary: 'Delete all tasks that a filter finds',
      description:
        'Deletes all or none, in one transaction that counts them: if their number is not `_expect`, the answer is 412 with `found`. At least one filter is required. Links, attachments, comments and checklists are deleted with the tasks.',
      query: DeletionQuery,
      parameters: [filters],
      answers: { 200: json('The tasks were deleted.', 'TasksDeleted', ['Event-Id']) },
      refusals: ['412'],
    },
    delete: {
      id: 'deleteTask',
      summary: 'Delete a task',
      description:
        'Deletes the task with its links, attachments, comments and checklist. Pending executions end as `Fail`.',
      query: WriteQuery,
      parameters: [ifMatch, unless],
      answers: { 204: empty('The task was deleted.', ['Event-Id']) },
      refusals: ['412'],
    },
  });
}
