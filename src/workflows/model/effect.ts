import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { NamedElement } from './changed-definition.js';

/**
 * What a change of the definition does to data. `what` and `name` are those of the change. An effect of the
 * kind `notes` loses no data.
 */
@ApiSchema({ name: 'DefinitionEffect' })
export class Effect extends NamedElement {
  @ApiProperty({
    enum: ['notes', 'loses', 'blocked'],
    description: 'An effect of the kind `loses` needs `allow-data-loss`.',
  })
  readonly kind!: 'notes' | 'loses' | 'blocked';

  @ApiProperty({
    type: 'integer',
    description: 'The number at the beginning of the message; 1 if the message begins with no number.',
  })
  readonly count!: number;

  @ApiProperty({ description: 'Such as `3 tasks are in it`.' })
  readonly message!: string;

  /** The oldest task comes first. */
  @ApiProperty({
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: true,
      description: 'A task: its Unique ID `id` and, if the effect concerns a field, the value of the field.',
    },
  })
  readonly examples!: readonly EffectExample[];
}

export interface EffectExample {
  /** The Unique ID of the task; null if it has none. */
  readonly id: string | null;
  readonly value?: unknown;
}

const MAX_EXAMPLES = 5;

/** Returns a list with the effect, or an empty list if the count is 0. */
export function effectOf(
  kind: Effect['kind'],
  what: string,
  name: string,
  count: number,
  message: string,
  examples: readonly EffectExample[] = [],
): Effect[] {
  return count === 0 ? [] : [{ kind, what, name, count, message, examples }];
}

/** Renders an example on one line, such as `V-1 "ten"`. */
export const renderExample = ({ id, value }: EffectExample): string =>
  [id ?? '(no Unique ID)', ...(value === undefined ? [] : [excerpt(value)])].join(' ');

/** The reasons to refuse a definition with these effects; empty if there are none. */
export function refusalsOf(effects: readonly Effect[], allowsDataLoss: boolean): string[] {
  const refused = effects.filter(({ kind }) => kind === 'blocked' || (kind === 'loses' && !allowsDataLoss));
  return refused.map(
    ({ what, name, message, examples }) =>
    [`${what} ${name}: ${message}`, ...(examples.length > 0 ? [examples.map(renderExample).join(', ')] : [])].join(': '), // prettier-ignore
  );
}

function excerpt(value: unknown): string {
  const characters = Array.from(JSON.stringify(value).replace(/[\p{Cc}\p{Cf}]/gu, '\u{fffd}'));
  return characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : characters.join('');
}

/**
 * Counts the tasks of a workflow that meet a condition, and returns the oldest `MAX_EXAMPLES` of them.
 * `condition` and `value` are SQL. An example has no `value` if the SQL gives NULL. The first two of
 * `parameters` are the ids of the workspace and the workflow.
 */
export async function findTasks(
  db: EntityManager,
  condition: string,
  parameters: readonly unknown[],
  value = 'NULL::jsonb',
): Promise<{ count: number; examples: EffectExample[] }> {
  const text = `
    SELECT unique_value AS id, ${value} AS value, count(*) OVER () AS count FROM tasks
    WHERE workspace_id = $1 AND workflow_id = $2 AND ${condition} ORDER BY tasks.id LIMIT ${MAX_EXAMPLES}`;
  const rows = await sql<{ id: string | null; value: unknown; count: string }>(db, { text }, parameters);
  const examples = rows.map(({ id, value }) => ({ id, ...(value !== null && { value }) }));
  return { count: Number(rows[0]?.count ?? 0), examples };
}

/** The column `count` of the first row, as a number; 0 without a row. */
export async function countOf(db: EntityManager, text: string, values: readonly unknown[]): Promise<number> {
  const [row] = await sql<{ count: string }>(db, { text }, values);
  return Number(row?.count ?? 0);
}
