import { applyDecorators } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiQuery,
  type ApiQueryOptions,
} from '@nestjs/swagger';
import { Flag } from '../common/http/query.decorator.js';
import { describedPage } from '../common/http/paged-list.js';
import { listOf, ref } from '../common/openapi/vocabulary.js';

/** How an answer refers to a task. */
export class TaskAddress {
  @ApiProperty({ type: String, nullable: true, description: 'The Unique ID of the task.' })
  readonly unique_id!: string | null;

  @ApiProperty({ description: 'The `Task URL` of the task.' })
  readonly url!: string;
}

/** All filters of a list as one parameter. The OpenAPI document of a workflow lists each filter instead. */
export const filters: ApiQueryOptions = {
  name: 'filters',
  required: false,
  description:
    'The name of any field, and a value. If there are several values, one of them must match; an empty value matches blank fields. `[ne]`, `[gt]`, `[gte]`, `[lt]`, `[lte]` or `[contains]` may follow the name. `Relationship.Field` is a field of a linked task; a query may have at most two of these names.',
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    // Without this default, Swagger UI fills in three example filters.
    default: {},
    additionalProperties: { anyOf: [{ type: 'string' }, listOf({ type: 'string' })] },
  },
};

/** The parameters that select tasks, without the filters, whose names depend on the workflow. */
export class ChoosingQuery {
  @ApiPropertyOptional({ description: 'Beginnings of words; needs `search: true`.', type: String })
  readonly _search: unknown;

  @ApiPropertyOptional({ description: 'true, false, or the id of a clock.', type: String })
  readonly _overdue: unknown;

  @ApiPropertyOptional({ description: 'false: only tasks in an end stage.', type: Boolean })
  readonly _active: unknown;

  @ApiPropertyOptional({ description: 'Filters joined by OR, percent-encoded.', type: [String], maxItems: 2 })
  readonly _any: unknown;
}

/** All parameters of a list except the filters. `parseListQuery` parses them. */
class TasksQuery extends ChoosingQuery {
  @ApiPropertyOptional(describedPage._limit)
  readonly _limit: unknown;

  @ApiPropertyOptional(describedPage._after)
  readonly _after: unknown;

  @ApiPropertyOptional({ description: 'Up to 4 keys, joined by commas; `-` reverses a key.', type: String })
  readonly _sort: unknown;

  @ApiPropertyOptional({ description: 'The keys to show, separated by commas.', type: String })
  readonly _fields: unknown;

  @Flag('Adds the header `X-Total-Count`.')
  readonly _count: unknown;
}

export const ApiTaskList = (summary: string): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary }),
    ApiQuery(filters),
    ApiQuery({ type: TasksQuery }),
    ApiOkResponse({ schema: listOf(ref('ListedTask')) }),
  );
