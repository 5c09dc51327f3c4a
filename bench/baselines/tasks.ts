import { readTask } from '../../src/tasks/store/task.repository.js';
import { type Statement } from '../../src/common/database/sql.js';
import { update, upsert } from '../../src/tasks/store/task.sql.js';
import { type Outline } from '../outline.js';
import { openDriver } from './drivers.js';
import { taskWriter } from './task-text.js';
import { type Body, valueReader } from './task-values.js';

/** Reads and writes tasks by the service's statements, and lists tasks by handwritten ones. */
export interface Tasks {
  readonly path: string;
  readOne(uniqueId: string): Promise<object>;
  list(url: string): Promise<object[]>;
  create(body: Body): Promise<object>;
  update(body: Body): Promise<object>;
}

const columns = `public_id AS "publicId", unique_value AS "uniqueValue", stage_id AS "stageId",
  assignee_id AS "assigneeId", field_values AS "fieldValues"`;
const ofWorkflow = `SELECT ${columns} FROM tasks WHERE workspace_id = $1 AND workflow_id = $2`;
const readPage = { name: 'page', text: `${ofWorkflow} ORDER BY id LIMIT $3` };
// Few tasks have these values, but PostgreSQL does not know. `+ 0` keeps it from reading all tasks by id.
const readFiltered = {
  name: 'filtered',
  text: `${ofWorkflow} AND field_values @> $4 ORDER BY id + 0 LIMIT $3`,
};

export function openTasks(): Tasks {
  const outline = JSON.parse(process.argv[2] ?? '') as Outline;
  const { workspaceId, workflowId, fields } = outline;
  const fieldIds = new Map(fields.map(({ id, name }) => [name, id]));
  const ask = openDriver(outline, process.argv.includes('records'));
  const [toTask, values] = [taskWriter(outline), valueReader(outline)];
  const one = async (statement: Statement, values: unknown[]): Promise<object> => {
    const [row] = await ask({ ...statement, values });
    if (!row) throw new Error('no task');
    return toTask(row);
  };
  return {
    path: `/api/v1/workflows/${outline.workflow}/tasks`,
    readOne: (uniqueId) => one(readTask, [workspaceId, workflowId, uniqueId, null, null, null]),
    create: (body) => one(upsert, values.upsert(body)),
    update: (body) => one(update, values.update(body)),
    async list(url) {
      const [, query = ''] = url.split('?');
      const { _limit: limit = '20', ...filters } = Object.fromEntries(new URLSearchParams(query));
      const wanted = new Map(
        Object.entries(filters).map(([name, value]) => [fieldIds.get(name) ?? '', value]),
      );
      const read = wanted.size === 0 ? readPage : readFiltered;
      const filtered = wanted.size === 0 ? [] : [JSON.stringify(Object.fromEntries(wanted))];
      const asked = [workspaceId, workflowId, limit, ...filtered];
      return (await ask({ ...read, values: asked })).map(toTask);
    },
  };
}
