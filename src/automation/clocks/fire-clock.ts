import { type DataSource, type EntityManager } from 'typeorm';
import { actionOf } from '../../actions/action.js';
import { isoDuration } from '../../workflows/time/duration.js';
import { type RungDue, rungsDue, withRungsDone } from './rungs.js';
import { type ClockRow } from './clock.js';
import { instantText } from '../../workflows/time/zone.js';
import { sql } from '../../common/database/sql.js';
import { readChanges } from '../../events/events.repository.js';
import { type EventTaskKey, recordEvent } from '../../events/record-event.js';
import { type ExecutionKey } from '../../executions/executions.repository.js';
import { type Message, say } from '../../common/message.js';
import { type RunTask, type Starter, type WantedRun } from '../../executions/runs/run.js';
import { refuseRun, startRun } from '../../executions/runs/start-run.js';
import { Scope } from '../../workflows/model/scope.js';
import { findWorkflow, type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { clocksIn, type TaskClock } from './compiled-clocks.js';
import {
  type ClockedTask,
  lockClocks,
  noteDue,
  putOffClock,
  type StoredClock,
  writeClocks,
} from './clocks.repository.js';
import { type FoldedClock, foldIntoClocks, storedClock } from './fold-task.js';

export const clockJob = 'clock';

export interface DueClock extends ClockedTask {
  readonly clockId: string;
}

/** Longest due first. Clocks that an apply has changed wait until they are recalculated. */
export async function dueClocks(db: EntityManager, limit: number): Promise<DueClock[]> {
  return sql<DueClock>(db, due, [limit]);
}

const due = {
  name: 'due-clocks',
  scope: 'all workspaces' as const,
  text: `
    SELECT c.workspace_id AS "workspaceId", c.workflow_id AS "workflowId", c.task_id AS "taskId", c.clock_id AS "clockId"
    FROM clocks c
    WHERE c.next_at <= service_now(statement_timestamp()) AND NOT EXISTS (
      SELECT FROM clock_changes d
      WHERE d.workspace_id = c.workspace_id AND d.workflow_id = c.workflow_id AND d.after_task_id < c.task_id
    )
    ORDER BY c.next_at LIMIT $1`,
};

/**
 * Carries out the due rungs of a clock in one transaction: events, runs with executions, and the row. It first
 * processes events that the follower has not read, so that a task approved meanwhile is not escalated. Returns the
 * executions.
 */
export async function fireClock(
  dataSource: DataSource,
  workspace: Workspace,
  key: DueClock,
  lateLimitMs: number,
): Promise<ExecutionKey[]> {
  const workflow = findWorkflow(workspace, key.workflowId);
  const taskClock = workflow && clocksIn(workflow).find(({ clock }) => clock.id === key.clockId);
  if (!workflow || !taskClock) {
    await putOffClock(dataSource.manager, key, key.clockId);
    return [];
  }
  const executions = await dataSource.transaction(async (tx) => {
    const [found] = await sql<LockedTask>(tx, lockTask, [key.workspaceId, key.workflowId, key.taskId]);
    if (!found) return undefined;
    const task = { ...found, taskId: key.taskId };
    const clocks = await lockClocks(tx, key);
    const { isWhole, isChanged, current } = await foldLater(tx, workflow, key, task, clocks);
    const stored = current ?? clocks.find(({ clockId }) => clockId === key.clockId);
    if (!stored) return [];
    const { row, eventPlace } = stored;
    const isOpen = isWhole && row.endedAt === null;
    // The next attempt does the rest.
    const some = isOpen ? rungsDue(taskClock.clock, row, found.now.getTime(), lateLimitMs) : [];
    if (isOpen || !current)
      await writeClocks(tx, key, [
        storedClock(taskClock, withRungsDone(row, some), workflow.version, eventPlace),
      ]);
    const executions = await doRungs(tx, { workflow, taskClock, row, task }, some);
    // A rung does not change the end of the clock.
    if (isChanged) await noteDue(tx, key.workspaceId, key.workflowId, [key.taskId]);
    return executions;
  });
  // Otherwise, clocks of locked tasks would be found first each time and hide those that can fire.
  if (!executions) await putOffClock(dataSource.manager, key, key.clockId, HELD_S);
  return executions ?? [];
}

/** How long a clock waits if its task is locked, in seconds. */
const HELD_S = 0.4;

/** Applies events that the follower has not read yet to all clocks of a task; returns the state of the firing one. */
async function foldLater(
  tx: EntityManager,
  workflow: Workflow,
  key: DueClock,
  task: FiringClock['task'],
  clocks: readonly StoredClock[],
): Promise<{
  readonly isWhole: boolean;
  readonly isChanged: boolean;
  readonly current: StoredClock | undefined;
}> {
  // Some clocks of the task may have processed an event that is new to others.
  const places = clocks.map(({ eventPlace }) => BigInt(eventPlace));
  const oldest = places.reduce((one, other) => (one < other ? one : other), places[0] ?? 0n);
  const fieldIds = clocksIn(workflow).flatMap((each) => each.fieldIds);
  const events = await readChanges(tx, key, String(oldest), fieldIds, MOST_FOLDED);
  const folded = await skipLeftRungs(tx, workflow, task, await foldIntoClocks(tx, workflow, clocks, events));
  await writeClocks(
    tx,
    key,
    folded.map(({ stored }) => stored),
  );
  const current = folded.find(({ taskClock: { clock } }) => clock.id === key.clockId)?.stored;
  return { isWhole: events.length < MOST_FOLDED, isChanged: folded.length > 0, current };
}

/** If there are more events, the next attempt processes the rest, and nothing fires before that. */
const MOST_FOLDED = 200;

type LockedTask = Omit<EventTaskKey, 'taskId'> & { readonly publicId: string; readonly now: Date };

// The holder of the lock may be changing the task, so the clock is tried again afterwards.
const lockTask = {
  name: 'lock-task-of-clock',
  text: `
    SELECT t.public_id AS "publicId", t.unique_value AS "uniqueValue",
      (t.version_offset + t.version)::float8 AS version, service_now() AS now
    FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = $3 FOR NO KEY UPDATE SKIP LOCKED`,
};

interface FiringClock {
  readonly workflow: Workflow;
  readonly taskClock: TaskClock;
  readonly row: ClockRow;
  readonly task: EventTaskKey & { readonly publicId: string; readonly taskId: string };
}

async function doRungs(
  tx: EntityManager,
  firing: FiringClock,
  due: readonly RungDue[],
): Promise<ExecutionKey[]> {
  const executions: ExecutionKey[] = [];
  for (const rung of due) {
    const execution = await doRung(tx, firing, rung);
    if (execution) executions.push(execution);
  }
  return executions;
}

async function doRung(
  tx: EntityManager,
  { workflow, taskClock, task }: FiringClock,
  { rung, dueAt, lateBy, kind }: RungDue,
): Promise<ExecutionKey | undefined> {
  const { workspaceId, id: workflowId } = workflow;
  const clockId = taskClock.clock.id;
  const { run, given } = taskClock.actions.get(rung.id) ?? {};
  let eventId: string | null = null;
  if (kind !== 'skipped') {
    const late = Math.max(lateBy, 0);
    const about = {
      clock: clockId,
      rung: rung.id,
      due_at: instantText(dueAt),
      late_by: isoDuration(late),
      run: run ?? null,
    };
    const cause = { kind: 'clock' as const, id: clockId, workflow: workflowId, event: null, chain: [] };
    const type = kind === 'fire' ? 'clock.fired' : 'clock.missed';
    eventId = (await recordEvent(tx, { workspaceId, type, task, workflowId, origin: { cause }, about })).id;
  }
  const scope = new Scope(workflow);
  const action = run === undefined ? undefined : await actionOf(scope, run);
  if (!action) return undefined;
  const starter: Starter = {
    workspaceId,
    kind: 'clock',
    workflowId,
    starterId: clockId,
    performer: undefined,
  };
  const target: RunTask = {
    workflowId,
    taskId: task.taskId,
    publicId: task.publicId,
    uniqueValue: task.uniqueValue,
  };
  const because = becauseOf(kind, clockId, rung.id);
  const wanted: WantedRun = {
    starter,
    scope,
    action,
    task: target,
    eventId,
    isCaused: false,
    chain: [],
    because,
    given,
  };
  if (kind === 'fire') return startRun(tx, wanted);
  await refuseRun(tx, wanted, kind, because);
  return undefined;
}

function becauseOf(kind: RungDue['kind'], clock: string, rung: string): Message {
  if (kind === 'fire') return say`${clock} reached ${rung}`;
  return kind === 'missed'
    ? say`${clock} reached ${rung} too long ago`
    : say`${clock} had ended when ${rung} was looked at`;
}

/** The rungs that were not done when their clocks ended start nothing. Returns the clocks with these done. */
export async function skipLeftRungs(
  tx: EntityManager,
  workflow: Workflow,
  { taskId, publicId, uniqueValue, version }: EventTaskKey,
  folded: readonly FoldedClock[],
): Promise<FoldedClock[]> {
  const skipped: FoldedClock[] = [];
  for (const each of folded) {
    const { taskClock, former, stored } = each;
    const ended = former ?? (stored.row.endedAt === null ? undefined : stored.row);
    const left = ended ? rungsDue(taskClock.clock, ended, Infinity, Infinity) : [];
    if (left.length === 0) {
      skipped.push(each);
      continue;
    }
    if (ended && taskId !== null && publicId !== null) {
      const task = { taskId, publicId, uniqueValue, version };
      await doRungs(tx, { workflow, taskClock, row: ended, task }, left);
    }
    const row = withRungsDone(stored.row, former ? [] : left);
    skipped.push({ ...each, stored: storedClock(taskClock, row, workflow.version, stored.eventPlace) });
  }
  return skipped;
}
