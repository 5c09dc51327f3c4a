import { messagesByName } from '../../common/ops/problem.js';
import { ApiSchema, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type RowOutcome } from './batch-row.js';
import { ref, type Schema } from '../../common/openapi/vocabulary.js';

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

export const ndjson = 'application/x-ndjson';

export const lines: Schema = {
  type: 'string',
  description: 'Lines of JSON, to be read one by one as they arrive.',
  contentMediaType: ndjson,
  contentSchema: ref('BatchLine'),
};

export const batchBody = {
  required: true,
  content: {
    [ndjson]: {
      schema: {
        type: 'string',
        description:
          'Any number of lines. Each is a task, or `_delete: true` with the Unique ID of a task to delete.',
      },
    },
  },
};
