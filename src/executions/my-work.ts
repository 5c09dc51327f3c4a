import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Deadline } from '../../packages/fair/deadline.js';
import { type LikelyAction, nextActions } from '../actions/next-actions.js';
import { assignedTasks, type AssignedTask, type Period, periods } from '../tasks/store/open-tasks.js';
import { type WorkReader, firstScope, sightIn, workflowsIn } from '../tasks/team-loads.js';
import { type Scope } from '../workflows/model/scope.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { Workspaces } from '../workflows/model/workspaces.js';

/** The user's open tasks that are due in one period. */
export interface DueGroup {
  readonly period: Period;
  readonly tasks: readonly DueTask[];
  /** How many open tasks are due: the sum over `workflows`, counted up to 10,000 in each of them. */
  readonly total: number;
  readonly workflows: readonly Workflow[];
}

export interface DueTask {
  readonly workflow: Workflow;
  readonly task: AssignedTask;
  /** The likely next action. Undefined if there is none, or if the task is too large to be checked. */
  readonly next: LikelyAction | undefined;
}

/** Reads a person's open tasks in all workflows, by a few statements for all workflows together. */
@Injectable()
export class MyWork {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
  ) {}

  /** The groups of the reader's open tasks. Leaves out groups without tasks. */
  async of(reader: WorkReader, deadline: Deadline | undefined): Promise<DueGroup[]> {
    const first = firstScope(reader, deadline);
    if (!first) return [];
    return this.work.read(first, async (db, scope) => {
      const workspace = await this.workspaces.get(scope.workspaceId);
      return groupsOf(db, scope, workspace, reader);
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
