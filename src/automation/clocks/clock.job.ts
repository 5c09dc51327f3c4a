import { DataSource, type EntityManager } from 'typeorm';
import {
  type ClockKey,
  dueClocks,
  noteFailedClocks,
  putOffClock,
  clockedColumns,
  type ClockedTask,
  readClocks,
  writeClocks,
} from './clocks.repository.js';
import { executionJob, type ExecutionKey } from '../../executions/executions.repository.js';
import { isPassing } from '../../common/database-error.js';
import { Doorbell } from '../../common/ops/doorbell.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { type JobKind } from '../../common/ops/job-kind.js';
import { sql } from '../../common/database/sql.js';
import { readChanges } from '../../events/events.repository.js';
import { assertDefinition } from '../../tasks/store/assert-definition.js';
import { ofWorkflow } from '../../tasks/store/task-row.js';
import { findWorkflow, type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { clockFieldsOf, clocksIn, type TaskClock } from './compiled-clocks.js';
import { recordRungs } from './record-rungs.js';
import { rungsDue, withRungsDone } from './rungs.js';
import { clockToStore, updateClocks } from './update-clocks.js';

const PLACES = 8;
const MAX_TRIES = 3;
/** How long a clock waits after MAX_TRIES failures, in seconds. */
const FAILED_S = 3600;

/** Fires the due rungs of a task's clock. The transaction locks the task, so clocks need no lease. */
export const clockKind: JobKind<ClockKey, ClockKey> = {
  name: 'clock',
  next: '(SELECT min(next_at) FROM clocks)',
  isTimed: true,
  places: PLACES,
  shares: { ofWorkspace: PLACES },
  keyOf: ({ workspaceId, taskId, clockId }) => `${workspaceId}/${taskId}/${clockId}`,
  due: ({ db }, limit) => dueClocks(db, limit),
  claim: (_, key) => Promise.resolve(key),
  renew: () => Promise.resolve(true),
  async run(parts, key) {
    const workspace = await parts.provider(Workspaces).inForce(key.workspaceId);
    const dataSource = parts.provider(DataSource);
    for (let tries = 1; ; tries += 1)
      try {
        const executions = await fireClock(dataSource, workspace, key);
        for (const execution of executions) parts.provider(Doorbell).ring(executionJob, execution);
        return;
      } catch (error) {
        if (isPassing(error)) throw error;
        if (tries < MAX_TRIES) continue;
        await putOffClock(dataSource.manager, key, FAILED_S);
        await noteFailedClocks(dataSource.manager, key, error);
        throw error;
      }
  },
};

/**
 * Fires the due rungs of a clock in one transaction: writes events, runs, executions and the clock. First
 * processes the events that the follower has not read, because one of them may have stopped the clock.
 * Returns the executions.
 */
export async function fireClock(
  dataSource: DataSource,
  workspace: Workspace,
  key: ClockKey,
): Promise<ExecutionKey[]> {
  const workflow = findWorkflow(workspace, key.workflowId);
  const taskClock = workflow && clocksIn(workflow).find(({ clock }) => clock.id === key.clockId);
  const executions =
    taskClock && (await dataSource.transaction((tx) => fireRungs(tx, workflow, taskClock, key)));
  // Without this delay, clocks that cannot fire would always come first in the query for due clocks.
  if (!executions) await putOffClock(dataSource.manager, key, taskClock ? HELD_S : UNKNOWN_S);
  return executions ?? [];
}

/** The delays, in seconds, of a clock that has to wait, and of a clock that this process does not know. */
const HELD_S = 0.4;
const UNKNOWN_S = 60;
/** A rung that is more than a week late starts no action, because the action would surprise people. */
const LATE_LIMIT_MS = 604_800_000;
/** If a task has this many unprocessed events or more, its clocks wait for the follower to process them. */
const MOST_EVENTS = 200;

/** Returns undefined if the clock has to wait. */
async function fireRungs(
  tx: EntityManager,
  workflow: Workflow,
  taskClock: TaskClock,
  { workspaceId, workflowId, taskId, clockId }: ClockKey,
): Promise<ExecutionKey[] | undefined> {
  // Throws if the definition has changed since this process read it.
  await assertDefinition(tx, workflow);
  const [locked] = await sql<ClockedTask & { readonly now: Date }>(tx, lockTask, [
    workspaceId,
    workflowId,
    taskId,
  ]);
  if (!locked) return undefined;
  const { now, ...task } = locked;
  const stored = await readClocks(tx, [task]);
  // A task's clocks may have processed events up to different places. Reading begins after the lowest place.
  const [oldest = 0n] = [...(stored.get(taskId)?.values() ?? [])]
    .map(({ eventPlace }) => BigInt(eventPlace))
    .sort((one, other) => Number(one - other));
  const events = await readChanges(tx, task, String(oldest), clockFieldsOf(workflow), MOST_EVENTS);
  if (events.length === MOST_EVENTS) return undefined;
  const turn = { tx, workflow, task };
  await updateClocks(turn, stored, events);
  const clock = stored.get(taskId)?.get(clockId);
  if (!clock) return [];
  const { row, eventPlace } = clock;
  const due = row.endedAt === null ? rungsDue(taskClock.clock, row, now.getTime(), LATE_LIMIT_MS) : [];
  await writeClocks(tx, [clockToStore(turn, taskClock, withRungsDone(row, due), eventPlace)]);
  return recordRungs(turn, taskClock, due);
}

// If the task is locked, it may be changing. The clock is then tried again later.
const lockTask = {
  name: 'lock-task-of-clock',
  text: `
    SELECT ${clockedColumns}, service_now() AS now FROM tasks t
    WHERE ${ofWorkflow} AND t.id = $3 FOR NO KEY UPDATE SKIP LOCKED`,
};
