import { Described } from '../../lib/described.js';
import { Flag } from '../../http/query.decorator.js';
import { listOf, maybeText, oneOf } from '../../openapi/vocabulary.js';
import { type RowOutcome } from './batch-row.js';

/** How a batch is to be written. */
export class BatchQuery {
  @Flag('All rows or none; 10,000 rows at most.')
  _atomic?: string;

  @Flag('Writes nothing, and tells what would become of each row; 10,000 rows at most.')
  _dry_run?: string;
}

/** What became of a row: each line of the answer is one. */
export class BatchLine {
  @Described({ description: 'Its place among the rows, from 1.', type: 'integer', minimum: 1 })
  readonly row!: number;

  @Described(oneOf(['created', 'updated', 'unchanged', 'error'], 'What became of it.'))
  readonly status!: RowOutcome['status'];

  @Described(maybeText('The Unique ID of the task; null where it has none, or the row does not tell.'))
  readonly unique_id!: string | null;

  @Described(
    {
      description: 'As in the answer to a single task; only with `error`.',
      type: 'object',
      additionalProperties: { ...listOf({ type: 'string' }), minItems: 1 },
    },
    { optional: true },
  )
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}
