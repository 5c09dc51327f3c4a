import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Deadline } from '../../packages/fair/deadline.js';
import { isAvailable } from '../actions/action.js';
import { type LikelyAction, nextActions } from '../actions/next-actions.js';
import { type Stage } from '../workflows/fields/task-schema.js';
import {
  assignedTasks,
  type AssignedTask,
  countInStages,
  type Period,
  periods,
} from '../tasks/store/open-tasks.js';
import { type WorkReader, firstScope, sightIn, workflowsIn } from '../tasks/team-loads.js';
import { type Scope } from '../workflows/model/scope.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { Workspaces } from '../workflows/model/workspaces.js';

export interface Work {
  /** The user's open tasks, grouped by due time. Empty groups are left out. */
  readonly groups: readonly DueGroup[];
  /** Unassigned tasks that wait for actions reserved to some people. */
  readonly waiting: readonly Waiting[];
}

export interface DueGroup {
  readonly period: Period;
  readonly tasks: readonly DueTask[];
  /** How many open tasks the user has, counted up to 10,000 in each workflow, and which workflows have some. */
  readonly total: number;
  readonly workflows: readonly Workflow[];
}

export interface DueTask {
  readonly workflow: Workflow;
  readonly task: AssignedTask;
  /** Undefined if there is none, or if the task is too large to be checked here. */
  readonly next: LikelyAction | undefined;
}

/** Open tasks in a stage with actions that this person may start and some others may not. */
export interface Waiting {
  readonly workflow: Workflow;
  readonly stage: Stage;
  readonly actions: readonly string[];
  /** How many tasks there are; above `MAX_COUNTED` there may be more. */
  readonly count: number;
}

/** Reads a person's work in all workflows, by a few statements for all workflows together. */
@Injectable()
export class MyWork {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
  ) {}

  async of(reader: WorkReader, deadline: Deadline | undefined): Promise<Work> {
    const first = firstScope(reader, deadline);
    if (!first) return { groups: [], waiting: [] };
    return this.work.read(first, async (db, scope) => {
      const workspace = await this.workspaces.get(scope.workspaceId);
      const groups = await groupsOf(db, scope, workspace, reader);
      const waiting = groups.length === 0 ? await waitingFor(db, workspace, reader) : [];
      return { groups, waiting };
    });
  }
}

export const MAX_COUNTED = 10_000;

async function groupsOf(
  db: EntityManager,
  scope: Scope,
  workspace: Workspace,
  reader: WorkReader,
): Promise<DueGroup[]> {
  const { whole, assigned } = sightIn(workspace, reader);
  const found = await assignedTasks(db, workspace, [...whole, ...assigned], reader.timeZone, reader.user.id);
  const rows = found.flatMap((task) => workflowsIn(workspace, [task.workflowId]).map((workflow) => ({ workflow, task }))); // prettier-ignore
  const judged = rows.flatMap(({ workflow, task }) => task.isWhole ? { scope: scope.in(workflow), task } : []); // prettier-ignore
  const next = await nextActions(db, judged, reader.user);
  return periods.flatMap((period) => {
    const tasks = rows.filter(({ task }) => task.period === period);
    const counts = tasks[0]?.task.counts ?? {};
    return {
      period,
      tasks: tasks.map((each) => ({ ...each, next: next.get(each.task.id) })),
      total: Object.values(counts).reduce((sum, count) => sum + count, 0),
      workflows: workflowsIn(workspace, Object.keys(counts).map(Number)),
    };
  }).filter(({ total }) => total > 0); // prettier-ignore
}

/** Actions that not everybody may start. Empty for administrators, who may start all actions. */
async function waitingFor(db: EntityManager, workspace: Workspace, reader: WorkReader): Promise<Waiting[]> {
  const { whole, assigned } = sightIn(workspace, reader);
  const offered = workflowsIn(workspace, [...whole, ...assigned]).flatMap(
    (workflow) =>
    workflow.schema.stages.all.map((stage) => ({ workflow, stage, actions: ownActionsIn(workflow, stage, reader) })), // prettier-ignore
  );
  const some = offered.filter(({ stage, actions }) => !stage.isEnd && actions.length > 0);
  if (some.length === 0) return [];
  const stages = some.map(({ workflow, stage }) => ({ workflowId: workflow.id, id: stage.id }));
  const viewer = { userId: reader.user.id, whole, most: MAX_COUNTED + 1 };
  const counts = await countInStages(db, workspace, stages, viewer);
  const countOf = ({ workflow, stage }: (typeof some)[0]): number =>
    counts.find(({ workflowId, id }) => workflowId === workflow.id && id === stage.id)?.tasks ?? 0;
  return some.map((each) => ({ ...each, count: countOf(each) })).filter(({ count }) => count > 0);
}

function ownActionsIn(
  { id, actions, permissions }: Workflow,
  { name }: Stage,
  { user }: WorkReader,
): string[] {
  const own = permissions.permissionsOf(user.id, id).actions;
  if (own === 'all') return [];
  const isOwn = (action: (typeof actions)[0]): boolean =>
    own.includes(action.id) && permissions.isForSome(id, action.id) && isAvailable(action, name);
  return actions.filter(isOwn).map((action) => action.name);
}
