import { Injectable } from '@nestjs/common';
import { AnswerRoom } from '../http/answer-room.js';
import { invalidField } from '../lib/field-errors.js';
import { pauses } from '../lib/turn.js';
import { findTaskBySize } from '../task-store/task.repository.js';
import { type User } from '../schema/field-type.js';
import { noTask } from '../workspace/not-found.js';
import { notYou, userOf } from '../workspace/requested.js';
import { requireUniqueId, type Workflow } from '../workspace/workspace.js';
import { UnitOfWork } from '../workspace/unit-of-work.js';
import { type ActionContext } from './action-context.js';
import { type Action, actionsOf, isAvailable, findUnmet, mayPerform } from './action.js';
import { type ActionsQuery, type ShownAction } from './action.dto.js';
import { TooLargeLinked } from '../expressions/expression-error.js';
import { readContext } from './read-context.js';

/** What can be done with a task. */
@Injectable()
export class ActionsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly answers: AnswerRoom,
  ) {}

  /** The actions of the task's stage, or all with what stands in their way. */
  async list(workflow: Workflow, uniqueId: string, query: ActionsQuery): Promise<ShownAction[]> {
    return this.work.read(workflow, async (db, current) => {
      requireUniqueId(current);
      const performer = performerOf(current, query.performed_by);
      const task = await findTaskBySize(db, current, uniqueId, (bytes, read) =>
        this.answers.read(current, bytes, read),
      );
      if (!task) throw noTask(current, uniqueId);
      if (query._explain !== 'true') {
        const stage = current.schema.stages.get(task.stageId).name;
        return current.actions
          .filter((action) => isAvailable(action, stage))
          .filter((action) => !performer || mayPerform(current, performer, action, task))
          .map(({ id, name }) => ({ id, name }));
      }
      const actions = await actionsOf(current);
      const context = await readContext(db, current, task, { performer, actions });
      return explain(actions, context, async (action) => {
        const own = await readContext(db, current, task, { performer, actions: [action] });
        return { ...own, allowance: context.allowance };
      });
    });
  }
}

/** What stands in the way of each; others have the event loop between those that take long to check. */
async function explain(
  actions: readonly Action[],
  context: ActionContext,
  readAlone: (action: Action) => Promise<ActionContext>,
): Promise<ShownAction[]> {
  const shown: ShownAction[] = [];
  const pause = pauses(context.workflow);
  for (const action of actions) {
    await pause();
    const unmet = findUnmet(action, isTooLarge(action, context) ? await readAlone(action) : context);
    shown.push({ id: action.id, name: action.name, available: unmet.length === 0, unmet });
  }
  return shown;
}

/** What all actions read together may be too much where what one of them reads is not, as for a POST. */
function isTooLarge({ expressions }: Action, { linked }: ActionContext): boolean {
  const names = expressions.flatMap((expression) => [...expression.linked.keys()]);
  return names.some((name) => linked.get(name) instanceof TooLargeLinked);
}

/** Who would perform them: a user themselves, or who is named. */
function performerOf(workflow: Workflow, email: string | undefined): User | undefined {
  const viewer = userOf(workflow);
  if (email === undefined) return viewer;
  const user = workflow.schema.users.find(email);
  if (!user?.active) throw invalidField('performed_by', 'is not a user of this workspace');
  if (viewer && user.id !== viewer.id) throw invalidField('performed_by', notYou);
  return user;
}
