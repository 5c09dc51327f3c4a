import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { ofWorkflow, plainColumns, type TaskRow } from '../../tasks/store/task-row.js';
import { type TaskKey } from '../../tasks/store/task-keys.js';
import { type ClockChangeEntity } from './clock.entity.js';
import { type ClockedTask, clockedColumns } from './clocks.repository.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../workflows/model/definition.js';
import { type WorkflowEntity } from '../../workflows/model/entities/workflow.entity.js';
import { type Impact } from '../../workflows/model/impact.js';
import { calendars as calendarLists } from '../../workflows/model/kinds/calendars.kind.js';
import { clocks as clockLists } from './clocks.kind.js';

export const clocksImpact: Impact = {
  async settle(tx, { workspaceId, stored, merged, after, version }) {
    // A new workspace has no tasks whose clocks could change.
    if (!stored) return;
    const clocked = workflowsWithOtherClocks(stored, merged, after.workflows);
    await changeClocks(tx, workspaceId, clocked, version);
  },
};

/** Returns the ids of the workflows for which the two definitions differ in a setting that clocks use. */
function workflowsWithOtherClocks(
  stored: WorkspaceDefinition,
  merged: WorkspaceDefinition,
  workflows: readonly Pick<WorkflowEntity, 'id' | 'slug'>[],
): number[] {
  const before = clocksBySlug(stored);
  const after = clocksBySlug(merged);
  return workflows.filter(({ slug }) => before.get(slug) !== after.get(slug)).map(({ id }) => id);
}

/** Maps the slug of each workflow with clocks to the settings on which these clocks depend, as JSON. */
function clocksBySlug({ workspace, workflows, ...lists }: WorkspaceDefinition): Map<string, string> {
  const hours = calendarLists.in(lists);
  const textOf = (workflow: WorkflowDefinition): string =>
    JSON.stringify([
      clockLists.in(workflow),
      workflow.stages.map(({ name, end }) => [name, end]),
      hours,
      workspace.timezone,
    ]);
  const clocked = workflows.filter((workflow) => clockLists.in(workflow).length > 0);
  return new Map(clocked.map((workflow) => [workflow.id, textOf(workflow)]));
}

/** Requests that the clocks of workflows are recalculated for a version of the definition. */
async function changeClocks(
  tx: EntityManager,
  workspaceId: number,
  workflowIds: readonly number[],
  version: number,
): Promise<void> {
  if (workflowIds.length > 0) await sql(tx, begin, [workspaceId, workflowIds, version]);
}

const begin = {
  name: 'change-clocks',
  text: `
    INSERT INTO clock_changes (workspace_id, workflow_id, version, changed_at)
    SELECT $1, id, $3, v.applied_at FROM unnest($2::integer[]) id, definition_versions v
    WHERE v.workspace_id = $1 AND v.version = $3
    ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET version = excluded.version, after_task_id = 0,
      changed_at = excluded.changed_at`,
};

/**
 * Locks and reads the next tasks whose clocks the sweep has not recalculated. With `isFollowed`, leaves out the
 * tasks that were created after the change and have no clocks yet: the follower begins their clocks.
 */
export async function lockNextTasks(
  tx: EntityManager,
  { workspaceId, workflowId, afterTaskId }: ClockChangeEntity,
  isFollowed: boolean,
  limit: number,
): Promise<ClockedTask[]> {
  return sql<ClockedTask>(tx, next, [workspaceId, workflowId, afterTaskId, limit, isFollowed]);
}

const next = {
  name: 'next-tasks-of-clocks',
  text: `
    SELECT ${clockedColumns} FROM tasks t
    WHERE ${ofWorkflow} AND t.id > $3::bigint AND NOT ($5::boolean AND t.created_at > (
      SELECT changed_at FROM clock_changes WHERE workspace_id = $1 AND workflow_id = $2
    ) AND NOT EXISTS (SELECT FROM clocks c WHERE c.workspace_id = $1 AND c.task_id = t.id))
    ORDER BY t.id LIMIT $4 FOR NO KEY UPDATE OF t`,
};

/** A task that the sweep has not reached since a change. An event may have updated the clocks already. */
export interface ChangedTask extends TaskRow {
  /** When the task entered its stage, and the version of the task at that time. */
  readonly stageAt: Date;
  readonly stageVersion: number;
  readonly appliedAt: Date;
  /** The place of the task's last event in the log of events. A new clock processes only later events. */
  readonly lastEvent: string;
}

/**
 * Of the given tasks, returns those that the sweep has not reached since the definition changed. Maps the id
 * of each such task to the task, with the values of `fieldIds`.
 */
export async function pendingChanges(
  tx: EntityManager,
  tasks: readonly TaskKey[],
  fieldIds: readonly string[],
): Promise<ReadonlyMap<string, ChangedTask>> {
  const [first] = tasks;
  if (!first) return new Map();
  const ids = [...new Set(tasks.map(({ taskId }) => taskId))];
  const values = [first.workspaceId, first.workflowId, ids, fieldIds];
  return new Map((await sql<ChangedTask>(tx, pending, values)).map((task) => [task.id, task]));
}

const pending = {
  name: 'pending-clock-changes',
  text: `
    SELECT ${plainColumns}, COALESCE(t.stage_at, t.created_at) AS "stageAt",
      (t.version_offset + COALESCE(t.stage_version, 1))::float8 AS "stageVersion", (
        SELECT COALESCE(jsonb_object_agg(id, t.field_values -> id), '{}')
        FROM unnest($4::text[]) id WHERE t.field_values ? id
      ) AS "fieldValues", c.changed_at AS "appliedAt", COALESCE((
      SELECT e.place FROM events e WHERE e.workspace_id = $1 AND e.task_id = t.id ORDER BY e.place DESC LIMIT 1
    ), 0)::text AS "lastEvent"
    FROM clock_changes c JOIN tasks t ON t.workspace_id = c.workspace_id AND t.workflow_id = c.workflow_id
    WHERE ${ofWorkflow} AND t.id = ANY ($3::bigint[]) AND c.after_task_id < t.id`,
};
