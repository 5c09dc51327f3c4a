import { type OpenAPIObject } from '@nestjs/swagger';
import { oneOf, ref, type Schema } from './schema.js';

/** One parameter of an operation. */
export type Parameter = Extract<
  NonNullable<NonNullable<OpenAPIObject['components']>['parameters']>[string],
  { in: string }
>;

const path = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});

export const query = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

/** The parameters in paths, by their names. */
export const pathParameters: ReadonlyMap<string, Parameter> = new Map(
  [
    path('workflow_id', 'The id of the workflow.'),
    path('unique_id', "The value of the task's Unique ID field, percent-encoded once."),
    path('other_unique_id', 'The Unique ID of the task at the other end.'),
    path('relationship', 'The relationship by its name on this side.', ref('RelationshipName')),
    path('field', 'The name of a file field.', ref('FieldName')),
    path('blob_id', 'The `blobId` of an attachment.'),
    path('id', 'The id of the checklist item.'),
    path('execution_id', 'The id of the execution.'),
    path('user_id', 'The id of the user.'),
    path(
      'asset',
      'A file of the page.',
      oneOf(['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'], 'Its name.'),
    ),
  ].map((parameter) => [parameter.name, parameter]),
);

const flags: Schema = oneOf(['true', 'false'], 'Absent is false.');

/** The other parameters that operations share. */
export const parameters = {
  requestId: header(
    'X-Request-Id',
    'An id for the request: 1 to 100 of `A-Za-z0-9_.:-`, else a random one is made.',
  ),
  ifMatch: header('If-Match', 'The task must be in the version of this `ETag`; else 412.'),
  ifNoneMatch: header('If-None-Match', 'The `ETag` of what the client has; 304 where that is what there is.'),
  unless: header(
    'If-None-Match',
    'The task must not be what has one of these `ETag`s; `*`: must not exist; else 412.',
  ),
  idempotencyKey: header(
    'Idempotency-Key',
    '1 to 255 characters: within a day the same key and request get the first answer.',
  ),
  prefer: header('Prefer', '`wait=N`: wait for the end of the execution, N seconds at most (25 at most).'),
  range: header('Range', 'One range of bytes.'),
  ifRange: header('If-Range', 'The `ETag` of the file that the range is of.'),
  limit: query('_limit', 'A page of at most so many; without it the list is complete.', {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
  }),
  after: query('_after', 'The cursor of the page before, as `Link` has it; needs `_limit`.'),
  sort: query('_sort', 'Up to 4 keys with commas between them; `-` in front turns the order round.'),
  fields: query('_fields', 'The keys to show, with commas between them.'),
  count: query('_count', 'Whether `X-Total-Count` is wanted.', flags),
  filters: {
    name: 'filters',
    in: 'query',
    description:
      'Any field with a value; several values mean any of them, an empty one means blank. Behind the name may stand `[ne]`, `[gt]`, `[gte]`, `[lt]`, `[lte]` or `[contains]`.',
    style: 'form',
    explode: true,
    schema: {
      type: 'object',
      // Else /docs makes three filters up.
      default: {},
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    },
  },
  itemStage: query('Stage', 'Only the items of this stage.', ref('Stage')),
  explain: query('_explain', 'All actions, with what stands in their way.', flags),
  performedBy: query('performed_by', 'As this user (e-mail) would see them.'),
  verbose: query('_verbose', 'With action, performer, times and steps.', flags),
  atomic: query('_atomic', 'All rows or none; 10,000 rows at most.', flags),
  dryRun: query(
    '_dry_run',
    'Writes nothing, and tells what would become of each row; 10,000 rows at most.',
    flags,
  ),
  taskId: query('task_id', 'Only those of the task with this Unique ID.'),
  status: query('status', 'Only those of this status.', ref('ExecutionStatus')),
} satisfies Record<string, Parameter>;
