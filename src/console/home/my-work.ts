import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type FairSemaphore } from '../../../packages/fair/semaphore.js';
import { isAvailable } from '../../actions/action.js';
import { type NextAction, nextActions } from '../../actions/next-actions.js';
import { type OwnFailure, ownFailures } from '../../executions/own-failures.js';
import { startOfDay, todayIn } from '../../lib/calendar.js';
import { type Stage } from '../../schema/task-schema.js';
import {
  assignedTasks,
  type AssignedTask,
  countInStages,
  type Load,
  loadOfPeople,
  type OpenTasks,
  type Period,
  periods,
} from '../../task-store/open-tasks.js';
import { MAX_COUNT } from '../../tasks/list/task-lists.service.js';
import { type Sight } from '../../workspace/roles.js';
import { type Scope } from '../../workspace/scope.js';
import { UnitOfWork } from '../../workspace/unit-of-work.js';
import { type Workflow, type Workspace } from '../../workspace/workspace.js';
import { SCANS } from '../../workspace/workspace.module.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { Entrances } from '../entrances.js';
import { type PageRequest, type SignedIn } from '../reader.js';
import { dueProperty } from '../task-shown.js';

/** What is somebody's to do. */
export interface Work {
  /** Their open tasks by when these are due; periods without any are left out. */
  readonly groups: readonly DueGroup[];
  /** What failed of what they began, newest first. */
  readonly failures: readonly PlacedFailure[];
  /** What waits for what only some may do, where nothing is assigned to them. */
  readonly waiting: readonly Waiting[];
}

export interface DueGroup {
  readonly period: Period;
  readonly tasks: readonly DueTask[];
  /** How many there are in all, of each workflow counted to `MAX_COUNT`. */
  readonly total: number;
  /** Those that have some. */
  readonly workflows: readonly Workflow[];
}

export interface DueTask {
  readonly workflow: Workflow;
  readonly task: AssignedTask;
  /** Undefined where there is none, or the task is too large to be judged here. */
  readonly next: NextAction | undefined;
}

export interface PlacedFailure {
  readonly workflow: Workflow;
  readonly task: OwnFailure;
  /** Its name. */
  readonly action: string;
}

/** Open tasks in a stage that has actions which somebody may start and others may not. */
export interface Waiting {
  readonly workflow: Workflow;
  readonly stage: Stage;
  /** The names of these actions. */
  readonly actions: readonly string[];
  /** How many tasks there are; where it is more than `MAX_COUNT` there may be any number. */
  readonly count: number;
}

/** Who has how much in which stage of a workflow. */
export interface TeamLoad {
  readonly workflow: Workflow;
  readonly loads: readonly Load[];
}

/** What people have to do across workflows, by a few statements, however many these are. */
@Injectable()
export class MyWork {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    private readonly entrances: Entrances,
    @Inject(SCANS) private readonly scans: FairSemaphore,
  ) {}

  /** What is the reader's. */
  async of(to: SignedIn, request: PageRequest): Promise<Work> {
    const read = await this.read(to, request, async (db, scope, workspace) => {
      const groups = await groupsOf(db, scope, workspace, to);
      const owner = { workspaceId: workspace.id, userId: to.user.id, sight: sightOf(workspace, to) };
      const failures = (await ownFailures(db, owner, MAX_FAILURES)).flatMap((one) => placed(workspace, one));
      const waiting = groups.length === 0 ? await waitingFor(db, workspace, to) : [];
      return { groups, failures, waiting };
    });
    return read ?? { groups: [], failures: [], waiting: [] };
  }

  /** Who has how much, of the workflows all of whose tasks the reader sees and that have open ones. */
  async ofTeam(to: SignedIn, request: PageRequest): Promise<TeamLoad[]> {
    const read = await this.read(to, request, (db, scope, workspace) =>
      this.scans.use(scope, async () => {
        const { whole } = sightOf(workspace, to);
        const loads = await loadOfPeople(db, openTasks(workspace, whole, to));
        const workflows = [...workspace.workflows.values()].filter(({ id }) => whole.includes(id));
        return workflows.map((workflow) => ({
          workflow,
          loads: loads.filter(({ workflowId }) => workflowId === workflow.id),
        }));
      }),
    );
    return (read ?? []).filter(({ loads }) => loads.length > 0);
  }

  /** Reads by the definition in force, until the deadline of the request; undefined for who knows of no workflow. */
  private async read<T>(
    to: SignedIn,
    request: PageRequest,
    work: (db: EntityManager, scope: Scope, workspace: Workspace) => Promise<T>,
  ): Promise<T | undefined> {
    const [first] = to.workflows;
    if (!first) return undefined;
    const scope = await this.entrances.enter(to, request, first.slug);
    return this.work.read(scope, async (db, current) =>
      work(db, current, await this.workspaces.get(scope.workspaceId)),
    );
  }
}

/** Of one period on the page. */
const MAX_TASKS = 50;
export const MAX_FAILURES = 50;

const sightOf = (workspace: Workspace, { user }: SignedIn): Sight => workspace.permissions.sightOf(user.id);

/** Whether there is a workflow all of whose tasks the reader sees: then they see who has how much. */
export const seesTeam = (to: SignedIn): boolean => sightOf(to.workspace, to).whole.length > 0;

const byId = ({ workflows }: Workspace, id: number): Workflow | undefined =>
  [...workflows.values()].find((workflow) => workflow.id === id);

function openTasks(workspace: Workspace, ids: readonly number[], { timeZone, now }: SignedIn): OpenTasks {
  const workflows = [...workspace.workflows.values()].filter(({ id }) => ids.includes(id));
  return {
    workspaceId: workspace.id,
    version: workspace.version,
    workflows: workflows.map((workflow) => ({
      id: workflow.id,
      field: dueFieldOf(workflow)?.fieldId ?? null,
    })),
    timeZone,
    today: todayIn(timeZone, now),
  };
}

/** The field that says when a task is due, where the workflow has no clocks, which know better. */
export const dueFieldOf = ({ clocks, schema }: Workflow): ReturnType<typeof dueProperty> =>
  clocks.length > 0 ? undefined : dueProperty(schema.properties);

async function groupsOf(
  db: EntityManager,
  scope: Scope,
  workspace: Workspace,
  to: SignedIn,
): Promise<DueGroup[]> {
  const { whole, assigned } = sightOf(workspace, to);
  const asked = openTasks(workspace, [...whole, ...assigned], to);
  const wanted = { userId: to.user.id, endOfWeek: sundayOf(asked.today), limit: MAX_TASKS };
  const rows = (await assignedTasks(db, asked, wanted)).flatMap((task) => {
    const workflow = byId(workspace, task.workflowId);
    return workflow ? [{ workflow, task }] : [];
  });
  const judged = rows.filter(({ task }) => task.isWhole);
  const next = await nextActions(db, judged.map(({ workflow, task }) => ({ scope: scope.in(workflow), task })), to.user); // prettier-ignore
  return periods.flatMap((period) => {
    const tasks = rows.filter(({ task }) => task.period === period);
    const counts = Object.entries(tasks[0]?.task.counts ?? {});
    if (tasks.length === 0) return [];
    return {
      period,
      tasks: tasks.map((each) => ({ ...each, next: next.get(each.task.id) })),
      total: counts.reduce((sum, [, count]) => sum + count, 0),
      workflows: counts.flatMap(([id]) => byId(workspace, Number(id)) ?? []),
    };
  });
}

/** The last day of the week of this one, both as YYYY-MM-DD. */
function sundayOf(today: string): string {
  const day = startOfDay(today) ?? new Date();
  day.setUTCDate(day.getUTCDate() + ((7 - day.getUTCDay()) % 7));
  return day.toISOString().slice(0, 10);
}

/** A failure that is still to be mended: of an action that there is in the stage where the task stands. */
function placed(workspace: Workspace, task: OwnFailure): PlacedFailure[] {
  const workflow = byId(workspace, task.workflowId);
  const stage = workflow?.schema.stages.all.find(({ id }) => id === task.stageId);
  const action = workflow?.actions.find(({ id }) => id === task.actionId);
  const isOpen = workflow && stage && action && isAvailable(action, stage.name);
  return isOpen ? [{ workflow, task, action: action.name }] : [];
}

/** What waits for actions that this user may start and not everybody; administrators may start all, so nothing waits for them. */
async function waitingFor(db: EntityManager, workspace: Workspace, to: SignedIn): Promise<Waiting[]> {
  const { id: userId } = to.user;
  const { whole, assigned } = sightOf(workspace, to);
  const known = [...workspace.workflows.values()].filter(
    ({ id }) => whole.includes(id) || assigned.includes(id),
  );
  const offered = known.flatMap((workflow) =>
    workflow.schema.stages.all.flatMap((stage) => {
      const actions = stage.isEnd ? [] : ownActionsIn(workflow, stage, userId);
      return actions.length > 0 ? [{ workflow, stage, actions }] : [];
    }),
  );
  if (offered.length === 0) return [];
  const stages = offered.map(({ workflow, stage }) => ({ workflowId: workflow.id, id: stage.id }));
  const found = await countInStages(db, { workspaceId: workspace.id, version: workspace.version }, stages, { userId, whole, most: MAX_COUNT + 1 }); // prettier-ignore
  return offered.flatMap((each) => {
    const { workflow, stage } = each;
    const counted = found.find((one) => one.workflowId === workflow.id && one.id === stage.id);
    return counted ? [{ ...each, count: counted.tasks }] : [];
  });
}

function ownActionsIn(
  { id: workflowId, actions, permissions }: Workflow,
  { name }: Stage,
  userId: string,
): string[] {
  const { actions: own } = permissions.permissionsOf(userId, workflowId);
  if (own === 'all') return [];
  return actions
    .filter((action) => own.includes(action.id) && permissions.isForSome(workflowId, action.id))
    .filter((action) => isAvailable(action, name))
    .map((action) => action.name);
}
