import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type FairSemaphore } from '../../../packages/fair/semaphore.js';
import { isAvailable } from '../../actions/action.js';
import { type LikelyAction, nextActions } from '../../actions/next-actions.js';
import { type OwnFailure, ownFailures } from '../../executions/own-failures.js';
import { todayIn } from '../../lib/calendar.js';
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
import { knownIn, knownText, knownTo } from '../../workspace/known.js';
import { type Sight } from '../../workspace/roles.js';
import { type Scope } from '../../workspace/scope.js';
import { UnitOfWork } from '../../workspace/unit-of-work.js';
import { type Workflow, type Workspace } from '../../workspace/workspace.js';
import { SCANS } from '../../workspace/workspace.module.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { Entrances } from '../entrances.js';
import { type PageRequest, type SignedIn } from '../reader.js';

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
  /** How many there are in all, of each workflow counted to 10,000, and the workflows that have some. */
  readonly total: number;
  readonly workflows: readonly Workflow[];
}

export interface DueTask {
  readonly workflow: Workflow;
  readonly task: AssignedTask;
  /** Undefined where there is none, or the task is too large to be judged here. */
  readonly next: LikelyAction | undefined;
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
  /** How many tasks there are; where it is more than `MAX_COUNTED` there may be any number. */
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
      const known = knownIn(knownTo(workspace, { userId: to.user.id }));
      const failures = (await ownFailures(db, owner, MAX_FAILURES)).map((failure) => ({
        ...failure,
        errors: failure.errors?.map((text) => knownText(text, known)) ?? null,
      }));
      const waiting = groups.length === 0 ? await waitingFor(db, workspace, to) : [];
      return { groups, failures: failures.flatMap((task) => placed(workspace, task)), waiting };
    });
    return read ?? { groups: [], failures: [], waiting: [] };
  }

  /** Who has how much, of the workflows all of whose tasks the reader sees and that have open ones. */
  async ofTeam(to: SignedIn, request: PageRequest): Promise<TeamLoad[]> {
    const read = await this.read(to, request, (db, scope, workspace) =>
      this.scans.use(scope, async () => {
        const workflows = knownOf(workspace, sightOf(workspace, to).whole);
        const loads = await loadOfPeople(db, openTasks(workspace, workflows, to));
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

export const MAX_FAILURES = 50;
export const MAX_COUNTED = 10_000;

const sightOf = ({ permissions }: Workspace, { user }: SignedIn): Sight => permissions.sightOf(user.id);

/** Whether there is a workflow all of whose tasks the reader sees: then they see who has how much. */
export const seesTeam = (to: SignedIn): boolean => sightOf(to.workspace, to).whole.length > 0;

const knownOf = ({ workflows }: Workspace, ids: readonly number[]): Workflow[] =>
  [...workflows.values()].filter(({ id }) => ids.includes(id));

function openTasks(
  { id: workspaceId, version }: Workspace,
  of: readonly Workflow[],
  { timeZone, now }: SignedIn,
): OpenTasks {
  return {
    workspaceId,
    version,
    workflowIds: of.map(({ id }) => id),
    timeZone,
    today: todayIn(timeZone, now),
  };
}

async function groupsOf(
  db: EntityManager,
  scope: Scope,
  workspace: Workspace,
  to: SignedIn,
): Promise<DueGroup[]> {
  const { whole, assigned } = sightOf(workspace, to);
  const asked = openTasks(workspace, knownOf(workspace, [...whole, ...assigned]), to);
  const found = await assignedTasks(db, asked, to.user.id);
  const rows = found.flatMap((task) => knownOf(workspace, [task.workflowId]).map((workflow) => ({ workflow, task }))); // prettier-ignore
  const judged = rows.flatMap(({ workflow, task }) => task.isWhole ? { scope: scope.in(workflow), task } : []); // prettier-ignore
  const next = await nextActions(db, judged, to.user);
  return periods.flatMap((period) => {
    const tasks = rows.filter(({ task }) => task.period === period);
    const counts = tasks[0]?.task.counts ?? {};
    return {
      period,
      tasks: tasks.map((each) => ({ ...each, next: next.get(each.task.id) })),
      total: Object.values(counts).reduce((sum, count) => sum + count, 0),
      workflows: knownOf(workspace, Object.keys(counts).map(Number)),
    };
  }).filter(({ total }) => total > 0); // prettier-ignore
}

/** A failure that is still to be mended: of an action that there is in the stage where the task stands. */
function placed(workspace: Workspace, task: OwnFailure): PlacedFailure[] {
  return knownOf(workspace, [task.workflowId]).flatMap((workflow) => {
    const stage = workflow.schema.stages.all.find(({ id }) => id === task.stageId)?.name ?? '';
    const action = workflow.actions.find(({ id }) => id === task.actionId);
    return action && isAvailable(action, stage) ? [{ workflow, task, action: action.name }] : [];
  });
}

/** What waits for actions that this user may start and not everybody; administrators may start all, so nothing waits for them. */
async function waitingFor(db: EntityManager, workspace: Workspace, to: SignedIn): Promise<Waiting[]> {
  const { whole, assigned } = sightOf(workspace, to);
  const offered = knownOf(workspace, [...whole, ...assigned]).flatMap(
    (workflow) =>
    workflow.schema.stages.all.map((stage) => ({ workflow, stage, actions: ownActionsIn(workflow, stage, to) })), // prettier-ignore
  );
  const some = offered.filter(({ stage, actions }) => !stage.isEnd && actions.length > 0);
  if (some.length === 0) return [];
  const stages = some.map(({ workflow, stage }) => ({ workflowId: workflow.id, id: stage.id }));
  const viewer = { userId: to.user.id, whole, most: MAX_COUNTED + 1 };
  const counts = await countInStages(db, openTasks(workspace, [], to), stages, viewer);
  const countOf = ({ workflow, stage }: (typeof some)[0]): number =>
    counts.find(({ workflowId, id }) => workflowId === workflow.id && id === stage.id)?.tasks ?? 0;
  return some.map((each) => ({ ...each, count: countOf(each) })).filter(({ count }) => count > 0);
}

function ownActionsIn({ id, actions, permissions }: Workflow, { name }: Stage, { user }: SignedIn): string[] {
  const own = permissions.permissionsOf(user.id, id).actions;
  if (own === 'all') return [];
  const isOwn = (action: (typeof actions)[0]): boolean =>
    own.includes(action.id) && permissions.isForSome(id, action.id) && isAvailable(action, name);
  return actions.filter(isOwn).map((action) => action.name);
}
