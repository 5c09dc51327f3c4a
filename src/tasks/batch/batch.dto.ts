import { ApiSchema, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Flag } from '../../http/query.decorator.js';
import { WriteQuery } from '../../http/silence.js';
import { type RowOutcome } from './batch-row.js';

/** How a batch is to be written. */
export class BatchQuery extends WriteQuery {
  @Flag('All rows or none; 10,000 rows at most.')
  _atomic?: string;

  @Flag('Writes nothing, and tells what would become of each row; 10,000 rows at most.')
  _dry_run?: string;
}

@ApiSchema({ description: 'What became of a row: each line of the answer is one.' })
export class BatchLine {
  @ApiProperty({ description: 'Its place among the rows, from 1.', type: 'integer', minimum: 1 })
  readonly row!: number;

  @ApiProperty({ enum: ['created', 'updated', 'unchanged', 'error'], description: 'What became of it.' })
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
