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
import { knownIn, knownText, knownTo } from '../workflows/model/known.js';
import { type Scope } from '../workflows/model/scope.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { sql } from '../common/database/sql.js';
import { plainColumns, type TaskRow } from '../tasks/store/task-row.js';
import { type Sight } from '../workflows/model/roles.js';
import { wasCancelled } from './executions.repository.js';

export interface Work {
  /** Their open tasks, grouped by due time. Empty groups are left out. */
  readonly groups: readonly DueGroup[];
  /** Their failed executions, newest first. */
  readonly failures: readonly PlacedFailure[];
  /** Unassigned tasks that wait for actions reserved to some people. */
  readonly waiting: readonly Waiting[];
}

export interface DueGroup {
  readonly period: Period;
  readonly tasks: readonly DueTask[];
  /** How many open tasks they have, counted up to 10,000 in each workflow, and which workflows have some. */
  readonly total: number;
  readonly workflows: readonly Workflow[];
}

export interface DueTask {
  readonly workflow: Workflow;
  readonly task: AssignedTask;
  /** Undefined if there is none, or if the task is too large to be checked here. */
  readonly next: LikelyAction | undefined;
}

export interface PlacedFailure {
  readonly workflow: Workflow;
  readonly task: OwnFailure;
  readonly action: string;
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
    if (!first) return { groups: [], failures: [], waiting: [] };
    return this.work.read(first, async (db, scope) => {
      const workspace = await this.workspaces.get(scope.workspaceId);
      const groups = await groupsOf(db, scope, workspace, reader);
      const failures = await failuresOf(db, workspace, reader);
      const waiting = groups.length === 0 ? await waitingFor(db, workspace, reader) : [];
      return { groups, failures, waiting };
    });
  }
}

export const MAX_FAILURES = 50;
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

async function failuresOf(
  db: EntityManager,
  workspace: Workspace,
  reader: WorkReader,
): Promise<PlacedFailure[]> {
  const userId = reader.user.id;
  const owner = { workspaceId: workspace.id, userId, sight: sightIn(workspace, reader) };
  const known = knownIn(knownTo(workspace, { userId }));
  const failures = await ownFailures(db, owner, MAX_FAILURES);
  return failures.flatMap((failure) =>
    placed(workspace, {
      ...failure,
      errors: failure.errors?.map((text) => knownText(text, known)) ?? null,
    }),
  );
}

/** A failure that still matters: the stage of the task still offers the action. */
function placed(workspace: Workspace, task: OwnFailure): PlacedFailure[] {
  return workflowsIn(workspace, [task.workflowId]).flatMap((workflow) => {
    const stage = workflow.schema.stages.all.find(({ id }) => id === task.stageId)?.name ?? '';
    const action = workflow.actions.find(({ id }) => id === task.actionId);
    return action && isAvailable(action, stage) ? [{ workflow, task, action: action.name }] : [];
  });
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

/** A task on which an action of the user failed and no later action was started. */
export interface OwnFailure extends TaskRow {
  readonly workflowId: number;
  readonly actionId: string;
  readonly finishedAt: Date;
  /** The reasons, as written by `keptText`. */
  readonly errors: readonly string[] | null;
}

/** Newest first. Cancelled ones are left out. */
async function ownFailures(
  db: EntityManager,
  { workspaceId, userId, sight }: FailureOwner,
  limit: number,
): Promise<OwnFailure[]> {
  return sql(db, failures, [workspaceId, userId, sight.whole, sight.assigned, limit]);
}

interface FailureOwner {
  readonly workspaceId: number;
  readonly userId: string;
  readonly sight: Sight;
}

// If a task's values are large, only its Unique ID is read.
const failures = {
  name: 'own-failures',
  text: `
    SELECT e.workflow_id AS "workflowId", e.action_id AS "actionId", e.finished_at AS "finishedAt", e.errors, ${plainColumns},
      CASE WHEN pg_column_size(t.field_values) <= 16384 THEN t.field_values ELSE '{}' END AS "fieldValues"
    FROM (
      SELECT * FROM executions e
      WHERE e.workspace_id = $1 AND e.performer_id = $2 AND e.status = 'Fail'
      ORDER BY e.place DESC LIMIT 500
    ) e
    JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = e.workflow_id AND t.id = e.task_id
    WHERE NOT ${wasCancelled} AND e.origin::json -> 'cause' IS NULL
      AND (e.workflow_id = ANY($3::integer[]) OR (e.workflow_id = ANY($4::integer[]) AND t.assignee_id = $2))
      AND NOT EXISTS (
        SELECT FROM executions o
        WHERE o.workspace_id = $1 AND o.workflow_id = e.workflow_id AND o.task_id = e.task_id AND o.place > e.place
      )
    ORDER BY e.place DESC LIMIT $5::integer`,
};
