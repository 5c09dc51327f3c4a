import { type EntityManager } from 'typeorm';
import { loadTasks } from '../records/load-tasks.js';
import { hasValues, type TaskRow } from '../records/task-row.js';
import { type Workflow } from '../workflows/workspace.js';
import { actionsOf } from './actions.js';
import { Failure, notBegun } from './failure.js';
import { judgeAction } from './judge-action.js';
import { type Claimed } from './ledger.js';
import { readSituation } from './read-situation.js';
import { type Situation } from './situation.js';

/** The situation of the task, if the action may begin in it by today's definition; throws a `Failure` otherwise. */
export async function judgeClaimed(
  db: EntityManager,
  workflow: Workflow,
  claimed: Claimed,
  task: TaskRow,
): Promise<Situation> {
  const { actionId, actionName, performerId, steps } = claimed;
  const action = actionsOf(workflow).find(({ id }) => id === actionId);
  if (!action)
    throw new Failure([`${actionName} is not an action of this workflow any more`], notBegun(steps));
  const performer = performerId === null ? undefined : workflow.schema.users.get(performerId);
  const situation = await readSituation(db, workflow, task, performer, [action]);
  const unmet = judgeAction(action, situation);
  if (unmet.length > 0) throw new Failure(unmet, notBegun(steps));
  return situation;
}

/** The task of the execution, with its links; throws a `Failure` when it is gone. */
export async function taskOf(db: EntityManager, workflow: Workflow, claimed: Claimed): Promise<TaskRow> {
  const shown = { showsInstants: false, showsLinks: workflow.schema.links.size > 0 };
  const [task] = await loadTasks(db, workflow, [claimed.taskId], shown);
  if (!task || !hasValues(task)) throw taskIsGone(claimed);
  return task;
}

export function taskIsGone({ steps }: Claimed): Failure {
  return new Failure(['task was deleted'], notBegun(steps));
}
