import { messagesByName } from '../../common/ops/problem.js';
import { ApiSchema, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { Flag } from '../../common/http/query.decorator.js';
import { WriteQuery } from '../write-scope.js';
import { type RowOutcome } from './batch-row.js';
import { listOf, ref, type Schema } from '../../common/openapi/vocabulary.js';

export class BatchQuery extends WriteQuery {
  @Flag('Writes all rows or none; 10,000 rows at most.')
  _atomic?: string;

  @Flag('Writes nothing; shows what would happen to each row. 10,000 rows at most.')
  _dry_run?: string;

  @ApiPropertyOptional({ description: 'A filter: deletes what it finds and no row names. Needs `_expect`.' })
  @IsOptional()
  @IsString()
  _sync?: string;

  @ApiPropertyOptional({
    description:
      'How many tasks `_sync` must delete: if it finds another number, it deletes none. Optional in a dry run.',
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
  })
  @IsOptional()
  @IsString()
  _expect?: string;
}

@ApiSchema({ description: 'A line of the answer to a batch: the outcome of one row.' })
export class BatchLine {
  @ApiProperty({ description: 'The number of the row, from 1.', type: 'integer', minimum: 1 })
  readonly row!: number;

  @ApiProperty({ enum: ['created', 'updated', 'unchanged', 'deleted', 'error'] })
  readonly status!: RowOutcome['status'];

  @ApiProperty({ type: String, nullable: true, description: 'The Unique ID of the task.' })
  readonly unique_id!: string | null;

  @ApiPropertyOptional(messagesByName)
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

@ApiSchema({ description: 'The last line of the answer to a batch with `_sync`.' })
export class SyncLine {
  @ApiProperty({ description: 'How many tasks were deleted because no row names them.', type: 'integer' })
  readonly deleted!: number;

  @ApiPropertyOptional({ description: 'How many tasks the filter found that no row names.', type: 'integer' })
  readonly found?: number;

  @ApiPropertyOptional({ description: 'For a dry run: 100 Unique IDs at most.', type: [String] })
  readonly would_delete?: readonly string[];

  @ApiPropertyOptional(messagesByName)
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

export const ndjson = 'application/x-ndjson';

export const linesOf = (...lines: Schema[]): Schema => ({
  type: 'string',
  description: 'Lines of JSON, to be read one by one as they arrive.',
  contentMediaType: ndjson,
  contentSchema: lines.length === 1 ? lines[0] : { anyOf: lines },
});

const rowDeletion: Schema = {
  description: 'The Unique ID of a task to delete.',
  type: 'object',
  properties: { _delete: { type: 'boolean', enum: [true] } },
  required: ['_delete'],
};

export const batchBody = {
  required: true,
  content: {
    'application/json': { schema: listOf({ anyOf: [ref('UpsertTask'), rowDeletion] }) },
    [ndjson]: { schema: { type: 'string', description: 'A task in each line; any number of lines.' } },
  },
};
