import { ApiSchema, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { Flag } from '../../http/query.decorator.js';
import { WriteQuery } from '../../http/silence.js';
import { type RowOutcome } from './batch-row.js';

/** The query parameters of a batch. */
export class BatchQuery extends WriteQuery {
  @Flag('All rows or none; 10,000 rows at most.')
  _atomic?: string;

  @Flag('Writes nothing, and tells what would become of each row; 10,000 rows at most.')
  _dry_run?: string;

  @ApiPropertyOptional({
    description:
      'A filter, percent-encoded: what it finds and stands in no row is deleted, once the whole body has come. Takes `_expect`.',
  })
  @IsOptional()
  @IsString()
  _sync?: string;

  @ApiPropertyOptional({
    description:
      'How many tasks `_sync` is to delete: it deletes none where it finds another number. A dry run can do without.',
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
  })
  @IsOptional()
  @IsString()
  _expect?: string;
}

@ApiSchema({ description: 'What became of a row: each line of the answer is one.' })
export class BatchLine {
  @ApiProperty({ description: 'Its place among the rows, from 1.', type: 'integer', minimum: 1 })
  readonly row!: number;

  @ApiProperty({
    enum: ['created', 'updated', 'unchanged', 'deleted', 'error'],
    description: 'What became of it.',
  })
  readonly status!: RowOutcome['status'];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The Unique ID of the task; null where it has none, or the row does not tell.',
  })
  readonly unique_id!: string | null;

  @ApiPropertyOptional({
    description: 'As in the answer to a single task; only with `error`.',
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  })
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

@ApiSchema({ description: 'The last line of a batch with `_sync`.' })
export class SyncLine {
  @ApiProperty({ description: 'How many tasks were deleted because no row names them.', type: 'integer' })
  readonly deleted!: number;

  @ApiPropertyOptional({ description: 'How many the filter has found that no row names.', type: 'integer' })
  readonly found?: number;

  @ApiPropertyOptional({
    description: 'Of a dry run: the Unique IDs of what would be deleted, the first 100.',
    type: [String],
  })
  readonly would_delete?: readonly string[];

  @ApiPropertyOptional({
    description: 'Why none was deleted.',
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  })
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}
