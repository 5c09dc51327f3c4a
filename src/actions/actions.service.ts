import { Injectable } from '@nestjs/common';
import { invalidField } from '../common/field-errors.js';
import { pauses } from '../../packages/fair/turn.js';
import { type EntityManager } from 'typeorm';
import { type TaskRow } from '../tasks/store/task-row.js';
import { taskNamed } from '../tasks/store/task.repository.js';
import { type User } from '../workflows/fields/field-type.js';
import { knownIn, knownTo } from '../workflows/model/known.js';
import { notYou } from '../access/users.service.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { userOf, type Scope } from '../workflows/model/scope.js';
import { type TaskName } from '../workflows/model/task-name.js';
import { type Workflow, workflowById } from '../workflows/model/workspace.js';
import { foretell } from './foretell.js';
import { type Foretold } from './step.js';
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
import { english, type Message } from '../common/message.js';

@Injectable()
export class ActionsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
  ) {}

  /** The available actions of the task's stage; with `_explain`, all actions and the reasons against each. */
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
    { performed_by, write }: Pick<ActionsQuery, 'performed_by'> & Asked = {},
  ): Promise<ExplainedAction[]> {
    const workspace = await this.workspaces.get(scope.workspaceId);
    const known = knownIn(knownTo(workspace, scope.viewer));
    return this.work.read(scope, async (db, current) => {
      const performer = performerOf(current, performed_by);
      const task = await taskNamed(db, current, name);
      const actions = (await actionsOf(current)).filter(({ isByRules }) => !isByRules);
      const context = await readContext(db, current, task, { performer, actions });
      const workflowOf = (id: number): Workflow => workflowById(workspace, id);
      const explained: ExplainedAction[] = [];
      const pause = pauses(current);
      for (const action of actions) {
        await pause();
        const unmet = await unmetOf(db, task, action, context);
        const fields = showAsked(current.workflow.schema, action.asked, task);
        const wanted = { action, task, performer, workflowOf, write, known };
        const forecast = write && unmet.length === 0 ? await foretell(db, current, wanted) : undefined;
        const failures = forecast?.failure ? [{ message: forecast.failure }] : unmet;
        explained.push({ action, unmet: failures, fields, ...(forecast && { follows: forecast.told }) });
      }
      return explained;
    });
  }

  /** The actions of the task's stage that the performer may start, without checking their requirements. */
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

interface Asked {
  /** How the forecast writes values; absent if no forecast is wanted. */
  readonly write?: Foretold['write'];
}

/** Why an action may not begin. If all actions together read too much, it gets a context of its own. */
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

/** An action with the reasons why it may not begin, or why it would certainly fail. */
export interface ExplainedAction {
  readonly action: Action;
  readonly unmet: readonly Unmet[];
  readonly fields: readonly ShownActionField[];
  /** The forecast of its effects, if it may begin. */
  readonly follows?: readonly Message[];
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

/** The linked tasks for all actions may be too large together, although this action alone may read few enough. */
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
