import { type DataSource, type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { readChanges } from '../../events/events.repository.js';
import { type ExecutionKey } from '../../executions/executions.repository.js';
import { assertDefinition } from '../../tasks/store/assert-definition.js';
import { ofWorkflow } from '../../tasks/store/task-row.js';
import { findWorkflow, type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { clockFieldsOf, clocksIn, type TaskClock } from './compiled-clocks.js';
import {
  clockedColumns,
  type ClockedTask,
  type ClockKey,
  lockClocks,
  putOffClock,
  writeClocks,
} from './clocks.repository.js';
import { recordRungs } from './record-rungs.js';
import { rungsDue, withRungsDone } from './rungs.js';
import { clockToStore, updateClocks } from './update-clocks.js';

/**
 * Carries out the due rungs of a clock in one transaction: events, runs with executions, and the row. It first
 * processes events that the follower has not read, so that a task approved meanwhile is not escalated. Returns the
 * executions.
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
  // Otherwise, clocks that cannot fire would be found first each time and hide those that can.
  if (!executions) await putOffClock(dataSource.manager, key, taskClock ? HELD_S : UNKNOWN_S);
  return executions ?? [];
}

/** How long a clock waits if its task is locked, and if its definition is not known here, in seconds. */
const HELD_S = 0.4;
const UNKNOWN_S = 60;
/** A rung that is found a week late counts as missed: acting on it would surprise more than help. */
const LATE_LIMIT_MS = 604_800_000;
/** If more events wait, the clock waits until the follower has processed them. */
const MOST_EVENTS = 200;

/** Undefined if the clock has to wait. */
async function fireRungs(
  tx: EntityManager,
  workflow: Workflow,
  taskClock: TaskClock,
  { workspaceId, workflowId, taskId, clockId }: ClockKey,
): Promise<ExecutionKey[] | undefined> {
  // No lease tells whether this process was stopped since it read the definition.
  await assertDefinition(tx, workflow);
  const [locked] = await sql<ClockedTask & { readonly now: Date }>(tx, lockTask, [
    workspaceId,
    workflowId,
    taskId,
  ]);
  if (!locked) return undefined;
  const { now, ...task } = locked;
  const stored = await lockClocks(tx, [task]);
  // Some clocks of the task may have processed an event that is new to others.
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

// The holder of the lock may be changing the task, so the clock is tried again afterwards.
const lockTask = {
  name: 'lock-task-of-clock',
  text: `
    SELECT ${clockedColumns}, service_now() AS now FROM tasks t
    WHERE ${ofWorkflow} AND t.id = $3 FOR NO KEY UPDATE SKIP LOCKED`,
};
