import { readFileSync } from 'node:fs';
import pg from 'pg';
import { sessionSettings } from '../../src/database/data-source.js';
import { readSmallTask } from '../../src/task-store/task.repository.js';
import { type Statement } from '../../src/database/sql.js';
import { update, upsert } from '../../src/task-store/task.sql.js';
import { type Outline } from '../outline.js';
import { type Row, taskWriter } from './task-text.js';
import { type Body, valueReader } from './task-values.js';

/** The service's statements on a pool like the service's, and nothing else of the service. */
export interface Tasks {
  /** In front of every path. */
  readonly path: string;
  readOne(uniqueId: string): Promise<object>;
  list(url: string): Promise<object[]>;
  create(body: Body): Promise<object>;
  update(body: Body): Promise<object>;
}

/** What both baselines do, for the outline that the command line names. */
export function openTasks(): Tasks {
  const outline = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Outline;
  const { workspaceId, workflowId } = outline;
  const pool = new pg.Pool({
    connectionString: outline.databaseUrl,
    max: outline.poolSize,
    options: sessionSettings(30_000),
  });
  const [toTask, values] = [taskWriter(outline), valueReader(outline)];
  const one = async (statement: Statement, values: unknown[]): Promise<object> => {
    const { rows } = await pool.query<Row>({ ...statement, values });
    if (!rows[0]) throw new Error('no task');
    return toTask(rows[0]);
  };
  return {
    path: `/api/v1/workflows/${outline.workflow}/tasks`,
    readOne: (uniqueId) => one(readSmallTask, [workspaceId, workflowId, uniqueId]),
    create: (body) => one(upsert, values.upsert(body)),
    update: (body) => one(update, values.update(body)),
    async list(url) {
      const query = outline.lists[url];
      if (!query) throw new Error(`${url} was not recorded`);
      const { name, text, values, shown } = query;
      const { rows } = await pool.query<Row>({ ...(name && { name }), text, values: [...values] });
      return rows.slice(0, shown).map(toTask);
    },
  };
}
