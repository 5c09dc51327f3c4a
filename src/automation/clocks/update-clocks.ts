import { pauses } from '../../../packages/fair/turn.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { taskAtEvent } from '../../events/task-at-event.js';
import { type TaskView } from '../../workflows/fields/task-view.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type ClockEvent, type ClockRow } from './clock.js';
import { type ChangedTask, pendingChanges } from './clock-changes.repository.js';
import {
  type ClocksOfTasks,
  type ClockToStore,
  noteDue,
  type StoredClock,
  writeClocks,
} from './clocks.repository.js';
import { clockFieldsOf, clocksIn, formerClock, type TaskClock } from './compiled-clocks.js';
import { foldArrival, foldDefinition, foldEvents } from './fold-clock.js';
import { recordRungs, type TaskTurn } from './record-rungs.js';
import { rungsDue, withRungsDone } from './rungs.js';

/** Applies a pending change of the definition, and then events, to a task's clocks. Updates `stored`. */
export async function updateClocks(
  turn: TaskTurn,
  stored: ClocksOfTasks,
  events: readonly RecordedEvent[],
): Promise<void> {
  const { tx, workflow, task } = turn;
  const pending = await pendingChanges(tx, [task], clockFieldsOf(workflow));
  const changed = await foldClocks(turn, stored, pending.get(task.taskId), events);
  await writeClocks(tx, changed);
  if (changed.length > 0) await noteDue(tx, [task]);
}

/**
 * Applies a change of the definition, and then events, to the clocks of a task. Puts the clocks into
 * `stored`. If rungs of an ended clock were due before the end and had not fired, records that they were
 * skipped. Returns the clocks to write.
 */
export async function foldClocks(
  turn: TaskTurn,
  stored: ClocksOfTasks,
  change: ChangedTask | undefined,
  events: readonly RecordedEvent[],
): Promise<ClockToStore[]> {
  const { workflow, task } = turn;
  const clocks = stored.get(task.taskId);
  const changed: ClockToStore[] = [];
  const happened = await tasksAtEvents(turn, events);
  const pause = pauses({ workspaceId: workflow.workspaceId });
  for (const taskClock of clocksIn(workflow)) {
    await pause();
    const known = clocks?.get(taskClock.clock.id);
    const derived = change && (await derivedClock(turn, taskClock, known, change));
    const present = (await followedClock(turn, taskClock, derived ?? known, happened)) ?? derived;
    if (!present) continue;
    clocks?.set(present.clockId, present);
    changed.push(present);
  }
  return changed;
}

/**
 * Returns the clock after a change of the definition. Undefined if the change is already applied, or if it
 * does not begin the clock.
 */
async function derivedClock(
  turn: TaskTurn,
  taskClock: TaskClock,
  stored: StoredClock | undefined,
  task: ChangedTask,
): Promise<ClockToStore | undefined> {
  const { tx, workflow } = turn;
  const { appliedAt, stageAt, lastEvent } = task;
  // If the task entered its stage after the change, the event of that move begins the clock.
  if (stored ? stored.row.definition >= workflow.version : stageAt > appliedAt) return undefined;
  const { clock } = taskClock;
  const read = { budgetValue: taskClock.budgetValue(task), moment: taskClock.moment(task) };
  let row: ClockRow | undefined;
  if (stored) {
    const former = (await formerClock(tx, workflow, stored)) ?? taskClock;
    row = foldDefinition(former.clock, clock, stored.row, { at: appliedAt.getTime(), ...read });
  } else {
    const stage = { from: null, to: workflow.schema.stages.get(task.stageId).name };
    const arrival = { at: stageAt.getTime(), version: task.stageVersion, stage, ...read };
    row = foldArrival(clock, arrival, appliedAt.getTime());
  }
  return row && clockToStore(turn, taskClock, row, stored?.eventPlace ?? lastEvent);
}

interface EventOfTask {
  readonly event: RecordedEvent;
  readonly task: TaskView;
}

async function tasksAtEvents(
  { tx, workflow }: TaskTurn,
  events: readonly RecordedEvent[],
): Promise<EventOfTask[]> {
  const found: EventOfTask[] = [];
  for (const event of events) {
    const at = await taskAtEvent(tx, workflow.workspaceId, event, clockFieldsOf(workflow));
    if (at) found.push({ event, task: at.after });
  }
  return found;
}

/**
 * Returns the clock after the events that it has not processed. Undefined if there are no such events, or if
 * the clock has not begun.
 */
async function followedClock(
  turn: TaskTurn,
  taskClock: TaskClock,
  stored: StoredClock | undefined,
  happened: readonly EventOfTask[],
): Promise<ClockToStore | undefined> {
  const behind = happened.filter(({ event }) => BigInt(event.place) > BigInt(stored?.eventPlace ?? 0));
  const events = behind.map((each) => clockEvent(taskClock, turn.workflow, each));
  const last = behind.at(-1);
  if (!last) return undefined;
  let present: ClockRow | undefined;
  for (const row of foldEvents(taskClock.clock, stored?.row ?? null, events)) {
    const left = row.endedAt === null ? [] : rungsDue(taskClock.clock, row, Infinity, Infinity);
    if (left.length > 0) await recordRungs(turn, taskClock, left);
    present = withRungsDone(row, left);
  }
  return present && clockToStore(turn, taskClock, present, last.event.place);
}

function clockEvent(taskClock: TaskClock, { schema }: Workflow, { event, task }: EventOfTask): ClockEvent {
  const name = (id: number | null): string | null =>
    schema.stages.all.find((stage) => stage.id === id)?.name ?? null;
  const to = name(task.stageId);
  const isChanged = event.stageFrom !== event.stageTo;
  return {
    at: event.happenedAt.getTime(),
    version: event.version ?? 0,
    stage: { from: isChanged ? name(event.stageFrom) : to, to },
    budgetValue: taskClock.budgetValue(task),
    moment: taskClock.moment(task),
  };
}

export const clockToStore = (
  { task, workflow }: TaskTurn,
  { clock }: TaskClock,
  row: ClockRow,
  eventPlace: string,
): ClockToStore => ({
  task,
  clock,
  clockId: clock.id,
  eventPlace,
  row: { ...row, definition: workflow.version },
});
