import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Logger } from '../lib/logger.js';

/** Logs how many tasks are larger than the present limit: they can still be read, and be made smaller. */
export async function tellLargeTasks(db: EntityManager, logger: Logger): Promise<void> {
  const counts = await sql<{ tasks: number }>(db, count, []).catch((error: unknown) => {
    logger.debug({ err: error }, 'tasks larger than 1 MB could not be counted');
    return [];
  });
  const tasks = counts.reduce((sum, each) => sum + each.tasks, 0);
  if (tasks > 0) logger.warn({ tasks }, 'tasks larger than 1 MB can only be made smaller');
}

// `pg_column_size` needs no read of the value itself.
const count = {
  name: 'count-large-tasks',
  text: 'SELECT count(*)::integer AS tasks FROM tasks WHERE pg_column_size(field_values) > 1048576',
  scope: 'all workspaces',
} as const;
