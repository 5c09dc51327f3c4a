import { Injectable } from '@nestjs/common';
import { invalidField } from '../lib/field-errors.js';
import { pauses } from '../../packages/fair/turn.js';
import { findNamedTask } from '../task-store/task.repository.js';
import { type User } from '../schema/field-type.js';
import { noTask } from '../workspace/not-found.js';
import { notYou, Workspaces } from '../workspace/workspaces.js';
import { userOf, type Scope } from '../workspace/scope.js';
import { type TaskName } from '../workspace/task-name.js';
import { requireUniqueId, type Workflow, workflowById } from '../workspace/workspace.js';
import { foretell } from './foretell.js';
import { type Foretold } from './step.js';
import { UnitOfWork } from '../workspace/unit-of-work.js';
import { type ActionContext } from './action-context.js';
import { type Action, actionsOf, isAvailable, findUnmet, mayPerform, messagesOf } from './action.js';
import { type Unmet } from './requirement.js';
import { type TaskRow } from '../task-store/task-row.js';
import { type EntityManager } from 'typeorm';
import { type ActionsQuery, type ShownAction, type ShownActionField } from './action.dto.js';
import { type ActionField, isStartedByRules, settingsOfAction } from '../workspace/action-settings.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type TaskView } from '../schema/task-view.js';
import { TooLargeLinked } from '../expressions/expression-error.js';
import { readContext } from './read-context.js';
import { english, type Message } from '../lib/message.js';

/** What can be done with a task. */
@Injectable()
export class ActionsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
  ) {}

  /** The actions of the task's stage, or all with what stands in their way. */
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

  /** All actions, with what stands in the way of each. */
  async explain(
    scope: Scope,
    name: TaskName,
    { performed_by, write }: Pick<ActionsQuery, 'performed_by'> & Asked = {},
  ): Promise<ExplainedAction[]> {
    const workspace = write && (await this.workspaces.get(scope.workspaceId));
    return this.work.read(scope, async (db, current) => {
      const performer = performerOf(current, performed_by);
      const task = await find(db, current, name);
      const actions = (await actionsOf(current)).filter(({ isByRules }) => !isByRules);
      const context = await readContext(db, current, task, { performer, actions });
      const explained = await explain(actions, context, async (action) => {
        const own = await readContext(db, current, task, { performer, actions: [action] });
        return { ...own, allowance: context.allowance };
      });
      if (!write || !workspace) return explained;
      const workflowOf = (id: number): Workflow => workflowById(workspace, id);
      for (const each of explained.filter(({ unmet }) => unmet.length === 0))
        each.follows = await foretell(db, current, { ...each, task, performer, workflowOf, write });
      return explained;
    });
  }

  /** The actions of the task's stage that the performer may do, whatever they require. */
  private async possible(
    scope: Scope,
    uniqueId: string,
    { performed_by }: ActionsQuery,
  ): Promise<ShownAction[]> {
    return this.work.read(scope, async (db, current) => {
      const performer = performerOf(current, performed_by);
      const task = await find(db, current, uniqueId);
      const { schema, actions } = current.workflow;
      const stage = schema.stages.get(task.stageId).name;
      return actions
        .filter((action) => isAvailable(action, stage) && !isStartedByRules(action))
        .filter((action) => !performer || mayPerform(current.workflow, performer, action, task))
        .map((action) => {
          const fields = showAsked(schema, settingsOfAction(action).fields, task);
          return { id: action.id, name: action.name, ...(fields.length > 0 && { fields }) };
        });
    });
  }
}

async function find(db: EntityManager, scope: Scope, name: TaskName): Promise<TaskRow> {
  requireUniqueId(scope.workflow, name);
  const task = await findNamedTask(db, scope, name);
  if (!task) throw noTask(scope.workflow, name);
  return task;
}

/** What is asked beside what stands in the way. */
interface Asked {
  /** How values are written in what is foretold; nothing is foretold without. */
  readonly write?: Foretold['write'];
}

/** An action, and what stands in its way. */
export interface ExplainedAction {
  readonly action: Action;
  readonly unmet: readonly Unmet[];
  /** What it asks for. */
  readonly fields: readonly ShownActionField[];
  /** What would follow, where nothing stands in its way. */
  follows?: readonly Message[];
}

/** What stands in the way of each; others have the event loop between those that take long to check. */
async function explain(
  actions: readonly Action[],
  context: ActionContext,
  readAlone: (action: Action) => Promise<ActionContext>,
): Promise<ExplainedAction[]> {
  const explained: ExplainedAction[] = [];
  const pause = pauses(context.scope);
  for (const action of actions) {
    await pause();
    const asked = new Set(action.asked.map(({ field }) => field));
    const read = isTooLarge(action, context) ? await readAlone(action) : context;
    const fields = showAsked(context.scope.workflow.schema, action.asked, context.task);
    explained.push({ action, unmet: findUnmet(action, { ...read, asked }), fields });
  }
  return explained;
}

/** What an action asks for, with what the task has now. */
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

/** What all actions read together may be too much where what one of them reads is not, as for a POST. */
function isTooLarge({ expressions }: Action, { linked }: ActionContext): boolean {
  const names = expressions.flatMap((expression) => [...expression.linked.keys()]);
  return names.some((name) => linked.get(name) instanceof TooLargeLinked);
}

/** Who would perform them: a user themselves, or who is named. */
function performerOf(scope: Scope, email: string | undefined): User | undefined {
  const viewer = userOf(scope);
  if (email === undefined) return viewer;
  const user = scope.workflow.schema.users.find(email);
  if (!user?.active) throw invalidField('performed_by', 'is not a user of this workspace');
  if (viewer && user.id !== viewer.id) throw invalidField('performed_by', notYou);
  return user;
}
