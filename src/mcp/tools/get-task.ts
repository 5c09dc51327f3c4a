import { nowhere, readStretch } from '../../common/http/paged-list.js';
import { invalidField } from '../../common/field-errors.js';
import { say } from '../../common/message.js';
import { type TaskAnswer } from '../../common/http/replies.js';
import { joinJson } from '../../tasks/answer-task.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type McpServices, type Tool } from '../tool.js';

/** Maps each name that `include` accepts to a function that reads this part of a task. */
const parts: Readonly<
  Record<string, (services: McpServices, scope: Scope, task: string) => Promise<readonly unknown[]>>
> = {
  checklist: ({ checklists }, scope, task) => checklists.list(scope, task, undefined),
  actions: ({ actions }, scope, task) => actions.list(scope, task, {}),
  comments: async ({ comments }, scope, task) => (await comments.latest(scope, task, '0', MOST)).comments,
  executions: async ({ executions }, scope, task) => {
    const query = { task_id: task, _limit: String(MOST), _verbose: 'true' };
    return (await readStretch(await executions.list(scope, query, nowhere))).shown;
  },
  history: async ({ history }, scope, task) =>
    (await readStretch(await history.list(scope, task, { _limit: String(MOST) }, nowhere))).shown,
};

const MOST = 50;

export const getTask: Tool = {
  name: 'get_task',
  description: 'Reads a task. Pass its `version` to save_task, so that no newer version is changed.',
  arguments: {
    workflow: { type: 'string' },
    unique_id: { type: 'string' },
    include: { type: 'array', says: `Any of: ${Object.keys(parts).join(', ')}.` },
  },
  required: ['workflow', 'unique_id'],
  hints: { writes: false },
  async run({ services, scope }, given) {
    const within = await scope(given.text('workflow'));
    const task = given.text('unique_id');
    const include = [...new Set(given.list('include'))];
    for (const name of include)
      if (!Object.hasOwn(parts, name))
        throw invalidField('include', say`is not one of: ${Object.keys(parts).join(', ')}`);
    const answer = await services.tasks.read(within, task);
    const values: Record<string, unknown> = { task: await taskIn(answer) };
    for (const name of include) values[name] = await parts[name]?.(services, within, task);
    return { said: 'The task is in `values`.', structured: { version: versionOf(answer), values } };
  },
};

export async function taskIn(answer: TaskAnswer): Promise<unknown> {
  return JSON.parse((await joinJson(answer)).json);
}

/** Returns the entity tag without its quotes, because models tend to drop them. */
export const versionOf = ({ tag }: Pick<TaskAnswer, 'tag'>): string => tag.replaceAll('"', '');
