import { Injectable } from '@nestjs/common';
import { invalidField } from '../common/field-errors.js';
import { pauses } from '../../packages/fair/turn.js';
import { type EntityManager } from 'typeorm';
import { type TaskRow } from '../tasks/store/task-row.js';
import { taskNamed } from '../tasks/store/task.repository.js';
import { type User } from '../workflows/fields/field-type.js';
import { notYou } from '../access/users.service.js';
import { userOf, type Scope } from '../workflows/model/scope.js';
import { type TaskName } from '../workflows/model/task-name.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { type ActionContext } from './action-context.js';
import { type Action, actionsOf, isAvailable, findUnmet, mayPerform, messagesOf } from './action.js';
import { type Unmet } from './requirement.js';
import { type ActionsQuery, type ShownAction, type ShownActionField } from './action.dto.js';
import { type ActionField, isStartedByRules } from '../workflows/model/action-definition.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { type TaskView } from '../workflows/fields/task-view.js';
import { TooLargeLinked } from '../workflows/expressions/expression-error.js';
import { readContext } from './read-context.js';
import { english } from '../common/message.js';

@Injectable()
export class ActionsService {
  constructor(private readonly work: UnitOfWork) {}

  /** Lists the actions of the task's stage; with `_explain`, all actions and their unmet requirements. */
  async list(scope: Scope, uniqueId: string, query: ActionsQuery): Promise<ShownAction[]> {
    if (query._explain !== 'true') return this.possible(scope, uniqueId, query);
    const explained = await this.explain(scope, uniqueId, query);
    return explained.map(({ action: { id, name }, unmet, fields }) => ({
      id,
      name,
      available: unmet.length === 0,
      unmet: messagesOf(unmet).map(english),
      ...(fields.length > 0 && { fields }),
    }));
  }

  async explain(
    scope: Scope,
    name: TaskName,
    { performed_by }: Pick<ActionsQuery, 'performed_by'> = {},
  ): Promise<ExplainedAction[]> {
    return this.work.read(scope, async (db, current) => {
      const performer = performerOf(current, performed_by);
      const task = await taskNamed(db, current, name);
      const actions = (await actionsOf(current)).filter(({ isByRules }) => !isByRules);
      const context = await readContext(db, current, task, { performer, actions });
      const explained: ExplainedAction[] = [];
      const pause = pauses(current);
      for (const action of actions) {
        await pause();
        const unmet = await unmetOf(db, task, action, context);
        explained.push({ action, unmet, fields: showAsked(current.workflow.schema, action.asked, task) });
      }
      return explained;
    });
  }

  /** Lists the actions that the performer may start in the task's stage. Requirements are not checked. */
  private async possible(
    scope: Scope,
    uniqueId: string,
    { performed_by }: ActionsQuery,
  ): Promise<ShownAction[]> {
    return this.work.read(scope, async (db, current) => {
      const performer = performerOf(current, performed_by);
      const task = await taskNamed(db, current, uniqueId);
      const { schema, actions } = current.workflow;
      const stage = schema.stages.get(task.stageId).name;
      return actions
        .filter((action) => isAvailable(action, stage) && !isStartedByRules(action))
        .filter((action) => !performer || mayPerform(current.workflow, performer, action, task))
        .map((action) => {
          const fields = showAsked(schema, action.fields, task);
          return { id: action.id, name: action.name, ...(fields.length > 0 && { fields }) };
        });
    });
  }
}

/** Returns the unmet requirements. If the context of all actions is too large, reads a smaller context. */
async function unmetOf(
  db: EntityManager,
  task: TaskRow,
  action: Action,
  context: ActionContext,
): Promise<readonly Unmet[]> {
  const { scope, performer, timeAllowed } = context;
  const own = isTooLarge(action, context)
    ? await readContext(db, scope, task, { performer, actions: [action] })
    : context;
  const asked = new Set(action.asked.map(({ field }) => field));
  return findUnmet(action, { ...own, asked, timeAllowed });
}

export interface ExplainedAction {
  readonly action: Action;
  readonly unmet: readonly Unmet[];
  readonly fields: readonly ShownActionField[];
}

function showAsked(
  { byName }: TaskSchema,
  asked: readonly ActionField[] = [],
  task: TaskView,
): ShownActionField[] {
  return asked.flatMap(({ field, required = false }) => {
    const property = byName.get(field);
    const value = property?.serialize(task) ?? null;
    const type = property?.typeName;
    return type === undefined ? [] : [{ name: field, type, required, value }];
  });
}

/** Whether linked tasks that this action reads were left out, to limit the total size over all actions. */
function isTooLarge({ expressions }: Action, { linked }: ActionContext): boolean {
  const names = expressions.flatMap((expression) => [...expression.linked.keys()]);
  return names.some((name) => linked.get(name) instanceof TooLargeLinked);
}

function performerOf(scope: Scope, email: string | undefined): User | undefined {
  const viewer = userOf(scope);
  if (email === undefined) return viewer;
  const user = scope.workflow.schema.users.find(email);
  if (!user?.active) throw invalidField('performed_by', 'is not a user of this workspace');
  if (viewer && user.id !== viewer.id) throw invalidField('performed_by', notYou);
  return user;
}
