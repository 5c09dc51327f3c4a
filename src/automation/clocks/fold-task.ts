import { type EntityManager } from 'typeorm';
import { pauses } from '../../../packages/fair/turn.js';
import { type ClockEvent, type ClockRow } from './clock.js';
import { endOf } from './clock-time.js';
import { foldEvents } from './fold-clock.js';
import { nextDue } from './rungs.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { taskAtEvent } from '../../events/task-at-event.js';
import { type TaskView } from '../../workflows/fields/task-view.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { clocksIn, type TaskClock } from './compiled-clocks.js';
import { type NewClock, type StoredClock } from './clocks.repository.js';

export function concernsClocks(event: RecordedEvent, workflow: Workflow): boolean {
  if (event.type === 'task.created') return true;
  if (event.type !== 'task.updated') return false;
  if (event.stageFrom !== event.stageTo) return true;
  const changed = { ...event.valuesFrom, ...event.valuesTo };
  return clocksIn(workflow).some(({ fieldIds }) => fieldIds.some((id) => Object.hasOwn(changed, id)));
}

/** A clock before and after some events. */
export interface FoldedClock {
  readonly taskClock: TaskClock;
  /** The former clock when it ended, if a new one has begun in its place. */
  readonly former: ClockRow | undefined;
  readonly stored: NewClock;
}

/** Applies new events of a task to its clocks; returns those that changed. The caller must hold locks on the rows. */
export async function foldIntoClocks(
  tx: EntityManager,
  workflow: Workflow,
  known: readonly StoredClock[],
  events: readonly RecordedEvent[],
): Promise<FoldedClock[]> {
  const relevant = events.filter((event) => concernsClocks(event, workflow));
  const found: EventOfTask[] = [];
  const fieldIds = [...new Set(clocksIn(workflow).flatMap((each) => each.fieldIds))];
  for (const event of relevant) {
    const at = await taskAtEvent(tx, workflow.workspaceId, event, fieldIds);
    if (at) found.push({ event, task: at.after });
  }
  const folded: FoldedClock[] = [];
  const pause = pauses({ workspaceId: workflow.workspaceId });
  for (const taskClock of clocksIn(workflow)) {
    await pause();
    const stored = known.find(({ clockId }) => clockId === taskClock.clock.id);
    const next = foldOne(taskClock, workflow, stored, found);
    if (next) folded.push(next);
  }
  return folded;
}

interface EventOfTask {
  readonly event: RecordedEvent;
  readonly task: TaskView;
}

function foldOne(
  taskClock: TaskClock,
  workflow: Workflow,
  stored: StoredClock | undefined,
  found: readonly EventOfTask[],
): FoldedClock | undefined {
  const behind = found.filter(({ event }) => BigInt(event.place) > BigInt(stored?.eventPlace ?? 0));
  const last = behind.at(-1);
  if (!last) return undefined;
  const events = behind.map((each) => clockEvent(taskClock, workflow, each));
  const rows = foldEvents(taskClock.clock, stored?.row ?? null, events);
  const row = rows.at(-1);
  if (!row) return undefined;
  const former = rows.length > 1 ? rows.at(-2) : undefined;
  return { taskClock, former, stored: storedClock(taskClock, row, workflow.version, last.event.place) };
}

function clockEvent(taskClock: TaskClock, { schema }: Workflow, { event, task }: EventOfTask): ClockEvent {
  const name = (id: number | null): string | null =>
    id === null ? null : (schema.stages.all.find((stage) => stage.id === id)?.name ?? null);
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

/** The stored form of a row, with the due times by which lists and jobs find clocks. */
export function storedClock(
  { clock }: TaskClock,
  row: ClockRow,
  definition: number,
  eventPlace: string,
): NewClock {
  const isOpen = row.state === 'running' || row.state === 'paused';
  return {
    clockId: clock.id,
    eventPlace,
    row: { ...row, definition },
    dueAt: isOpen ? endOf(clock, row) : null,
    nextAt: isOpen ? (nextDue(clock, row)?.dueAt ?? null) : null,
  };
}
