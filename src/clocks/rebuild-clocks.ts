import { type EntityManager } from 'typeorm';
import { type ClockEvent } from '../calendars/clock.js';
import { type ClockStep, replayClock } from '../calendars/replay-clock.js';
import { sql } from '../database/sql.js';
import { readChanges, type RecordedEvent } from '../events/events.repository.js';
import { readTasksAhead, taskAtEvent } from '../events/task-at-event.js';
import { type TaskView } from '../schema/task-view.js';
import { type Workflow } from '../workspace/workspace.js';
import { type ClockEra, clockErasOf } from './clock-eras.js';
import { type ClockedTask, type NewClock, noteDue, removeClocks, writeClocks } from './clocks.repository.js';
import { clocksIn, type TaskClock } from './compiled-clocks.js';
import { armTask, type NextTask, lockNextTasks } from './derive-clocks.js';
import { clockEvent, concernsClocks, storedClock } from './fold-task.js';

const BATCH = 50;
const PAGE = 1000;

/**
 * Rebuilds the clocks of the next tasks of a workflow from recorded events; returns the tasks. If the creation of a
 * task is no longer kept, its clocks stay, or begin anew with its stage if one of its events was set aside. Fires
 * nothing.
 */
export async function rebuildClocks(tx: EntityManager, workflow: Workflow, after: string): Promise<string[]> {
  const tasks = await lockNextTasks(tx, workflow, after, BATCH);
  const ids = tasks.map(({ id }) => id);
  if (ids.length === 0 || clocksIn(workflow).length === 0) return [];
  const rows = await sql<{ id: string }>(tx, broken, [workflow.workspaceId, ids]);
  const brokenIds = new Set(rows.map(({ id }) => id));
  const eras = await clockErasOf(tx, workflow);
  for (const task of tasks) await rebuildTask(tx, workflow, eras, task, brokenIds.has(task.id));
  await noteDue(tx, workflow.workspaceId, workflow.id, ids);
  return ids;
}

const broken = {
  name: 'read-broken-tasks',
  text: `
    SELECT DISTINCT task_id AS id FROM events_set_aside
    WHERE workspace_id = $1 AND follower = 'clocks' AND task_id = ANY ($2::bigint[])`,
};

async function rebuildTask(
  tx: EntityManager,
  workflow: Workflow,
  eras: readonly ClockEra[],
  task: NextTask,
  isBroken: boolean,
): Promise<void> {
  const key = { workspaceId: workflow.workspaceId, workflowId: workflow.id, taskId: task.id };
  const history = await historyOf(tx, workflow, eras, key);
  const isWhole = history[0]?.event.type === 'task.created';
  if (!isWhole && !isBroken) return;
  await removeClocks(tx, key, []);
  if (!isWhole) return armTask(tx, workflow, task);
  const place = history.findLast(({ task }) => task)?.event.place ?? '0';
  const made = clocksIn(workflow).flatMap((taskClock): NewClock[] => {
    const row = replayClock(stepsOf(workflow, eras, taskClock.clock.id, task, history));
    return row ? [storedClock(taskClock, row, workflow.version, place)] : [];
  });
  await writeClocks(tx, key, made);
}

/** A step in the history of clocks: an event with the task after it, or a rung that fired. */
interface HistoryEntry {
  readonly event: RecordedEvent;
  readonly task: TaskView | undefined;
}

async function historyOf(
  tx: EntityManager,
  workflow: Workflow,
  eras: readonly ClockEra[],
  key: ClockedTask,
): Promise<HistoryEntry[]> {
  const clocks = eras.flatMap((era) => era.clocks);
  const fieldIds = [...new Set(clocks.flatMap((each) => each.fieldIds))];
  const entries: HistoryEntry[] = [];
  for (let place = '0'; ;) {
    const events = await readChanges(tx, key, place, fieldIds, PAGE, rungTypes);
    const changes = events.filter((event) => concernsClocks(event, workflow));
    await readTasksAhead(tx, key.workspaceId, changes, fieldIds);
    for (const event of events) {
      const isRung = rungTypes.some((type) => type === event.type);
      const at = isRung ? undefined : await taskAtEvent(tx, key.workspaceId, event, fieldIds);
      if (isRung || (at && concernsClocks(event, workflow))) entries.push({ event, task: at?.after });
    }
    const last = events.at(-1);
    if (!last || events.length < PAGE) return entries;
    place = last.place;
  }
}

const rungTypes = ['clock.fired', 'clock.missed'] as const;

/** The history of one clock in order, each event with the definition in force then. */
function stepsOf(
  workflow: Workflow,
  eras: readonly ClockEra[],
  clockId: string,
  { stageAt, stageVersion }: NextTask,
  history: readonly HistoryEntry[],
): ClockStep[] {
  const steps: ClockStep[] = [];
  const ahead = [...eras];
  let current: TaskClock | undefined;
  let last: ClockEvent | undefined;
  let stage: Pick<ClockEvent, 'at' | 'version'> | undefined;
  let task: TaskView | undefined;
  const changeTo = ({ from, clocks }: ClockEra): void => {
    const next = clocks.find(({ clock }) => clock.id === clockId);
    if (task && last && stage) {
      const values = { budgetValue: next?.budgetValue(task) ?? null, moment: next?.moment(task) ?? null };
      const armed = { ...stage, stage: { from: null, to: last.stage.to }, ...values };
      steps.push({ clock: next?.clock ?? null, former: current?.clock ?? null, at: from, stage: armed });
    }
    current = next;
  };
  for (const { event, task: after } of history) {
    for (let era = ahead[0]; era && era.from <= event.happenedAt.getTime(); era = ahead[0]) {
      changeTo(era);
      ahead.shift();
    }
    if (after) {
      last = clockEvent(current, workflow, { event, task: after });
      if (!stage || last.stage.from !== last.stage.to) {
        // The task itself stores when it entered its present stage.
        const { at, version } = last;
        stage = { at: version === stageVersion ? stageAt.getTime() : at, version };
      }
      task = after;
      if (current) steps.push({ clock: current.clock, event: last });
    } else if (current && event.about?.['clock'] === clockId)
      steps.push({ clock: current.clock, ...rungOf(event) });
  }
  for (const era of ahead) changeTo(era);
  return steps;
}

function rungOf({ about }: RecordedEvent): { readonly rung: string; readonly dueAt: number } {
  return { rung: String(about?.['rung']), dueAt: Date.parse(String(about?.['due_at'])) };
}
