import { readFileSync } from 'node:fs';
import { readTask } from '../../src/task-store/task.repository.js';
import { type Statement } from '../../src/database/sql.js';
import { update, upsert } from '../../src/task-store/task.sql.js';
import { type Outline } from '../outline.js';
import { openDriver } from './drivers.js';
import { taskWriter } from './task-text.js';
import { type Body, valueReader } from './task-values.js';

/** The service's statements on a pool like the service's, without the rest of the service. */
export interface Tasks {
  /** The prefix of every path. */
  readonly path: string;
  readOne(uniqueId: string): Promise<object>;
  list(url: string): Promise<object[]>;
  create(body: Body): Promise<object>;
  update(body: Body): Promise<object>;
}

/** The common part of all baselines, for the outline in the command line. */
export function openTasks(): Tasks {
  const outline = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Outline;
  const { workspaceId, workflowId } = outline;
  const ask = openDriver(outline, process.argv.includes('records'));
  const [toTask, values] = [taskWriter(outline), valueReader(outline)];
  const one = async (statement: Statement, values: unknown[]): Promise<object> => {
    const [row] = await ask({ ...statement, values });
    if (!row) throw new Error('no task');
    return toTask(row);
  };
  return {
    path: `/api/v1/workflows/${outline.workflow}/tasks`,
    readOne: (uniqueId) => one(readTask.whole, [workspaceId, workflowId, uniqueId]),
    create: (body) => one(upsert, values.upsert(body)),
    update: (body) => one(update, values.update(body)),
    async list(url) {
      const query = outline.lists[url];
      if (!query) throw new Error(`${url} was not recorded`);
      return (await ask(query)).slice(0, query.shown).map(toTask);
    },
  };
}
