import { type EntityManager } from 'typeorm';
import { LostLease } from '../../../packages/fair/lease.js';
import { actionOf } from '../../actions/action.js';
import { reasonOfFailure } from '../../actions/step.js';
import { type Firing, type Timetable } from '../../workflows/time/firings.js';
import { Origin } from '../../common/origin.js';
import { type ExecutionKey } from '../../executions/executions.repository.js';
import { type Message, say } from '../../common/message.js';
import { causeOfRun, type Starter } from '../../executions/runs/run.js';
import { recordRun, hasRunFor } from '../../executions/runs/runs.repository.js';
import { startRuns } from '../../executions/runs/start-many.js';
import { type Condition } from '../../workflows/fields/condition.js';
import { assertDefinition } from '../../tasks/store/assert-definition.js';
import { readTasks } from '../../tasks/store/list.repository.js';
import { schedules } from './schedules.kind.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { Scope } from '../../workflows/model/scope.js';
import { type UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { findWorkflow } from '../../workflows/model/workspace.js';
import { type Workspaces } from '../../workflows/model/workspaces.js';
import { createTask, type Outcome } from './create-task.js';
import { askedFiring, dueFiring, nominalOf, timetableOf } from './timetable.js';
import {
  type ClaimedSchedule,
  moveSchedule,
  readScheduleState,
  type ScheduleMove,
  type ScheduleState,
} from './schedule-states.repository.js';
import { type FiringPlace, conditionsOf } from './placeholders.js';

export interface FiringParts {
  readonly work: UnitOfWork;
  readonly workspaces: Workspaces;
  readonly ring: (executions: readonly ExecutionKey[]) => void;
}

/** How many tasks' executions one transaction enters. */
const PAGE = 1000;

/** Does the next step of a claimed schedule in one transaction; returns whether more may follow. */
export async function fireSchedule(parts: FiringParts, claimed: ClaimedSchedule): Promise<boolean> {
  const workspace = await parts.workspaces.get(claimed.workspaceId);
  const workflow = findWorkflow(workspace, claimed.workflowId);
  if (!workflow) return false;
  const starter = starterOf(claimed);
  const origin = new Origin({ cause: causeOfRun(starter, null, []) });
  const scope = new Scope(workflow, undefined, undefined, origin);
  const { entered, hasMore } = await parts.work.transaction(scope, async (tx, current) => {
    await assertDefinition(tx, current.workflow);
    const state = await readScheduleState(tx, claimed);
    const schedule = schedules.in(current.workflow).find(({ id }) => id === claimed.scheduleId);
    const timetable = schedule && timetableOf(schedule, current.workflow);
    if (!state || !timetable) return nothing;
    return fireOnce({ tx, scope: current, claimed, starter, schedule, timetable, state });
  });
  parts.ring(entered);
  return hasMore;
}

function starterOf({ workspaceId, workflowId, scheduleId }: ClaimedSchedule): Starter {
  return { workspaceId, kind: 'schedule', workflowId, starterId: scheduleId, performer: undefined };
}

interface Fired {
  readonly entered: readonly ExecutionKey[];
  readonly hasMore: boolean;
}

const nothing: Fired = { entered: [], hasMore: false };

interface Turn {
  readonly tx: EntityManager;
  readonly scope: Scope;
  readonly claimed: ClaimedSchedule;
  readonly starter: Starter;
  readonly schedule: ScheduleDefinition;
  readonly timetable: Timetable;
  readonly state: ScheduleState;
}

/** Continues an unfinished firing first, then begins a requested one, then a due one. */
async function fireOnce(turn: Turn): Promise<Fired> {
  const { schedule, timetable, state } = turn;
  const { firing, askedAt, countedFrom, now, isPaused } = state;
  if (firing) return startPage(turn, firing, reasonFor(firing), {});
  if (askedAt) return fire(turn, askedFiring(timetable, askedAt.getTime()), 'somebody asked for it', { askedAt: null }); // prettier-ignore
  const due = dueFiring(timetable, schedule.missed, countedFrom.getTime(), now.getTime());
  const move = { countedFrom: new Date(due.countedTo), nextAt: dateOf(due.next) };
  if (!due.firing) await moveOn(turn, move);
  else if (isPaused)
    await endFiring(turn, due.firing, { result: 'skipped', because: 'the schedule is paused' }, move); // prettier-ignore
  else if (due.isMissed)
    await endFiring(turn, due.firing, { result: 'missed', because: lateness(due.firing, now) }, move); // prettier-ignore
  else return fire(turn, due.firing, reasonFor(due.firing), move);
  return nothing;
}

const dateOf = (instant: number | null): Date | null => (instant === null ? null : new Date(instant));

const reasonFor = (firing: Firing): Message => say`the schedule fired for ${nominalOf(firing)}`;

const lateness = ({ instant }: Firing, now: Date): Message =>
  say`the service found it ${Math.round((now.getTime() - instant) / 60_000)} minutes late`;

async function fire(
  turn: Turn,
  firing: Firing,
  because: Message,
  move: Partial<ScheduleMove>,
): Promise<Fired> {
  const { schedule } = turn;
  return schedule.create
    ? create(turn, schedule.create, firing, because, move)
    : startPage(turn, firing, because, move);
}

async function create(
  turn: Turn,
  values: NonNullable<ScheduleDefinition['create']>,
  firing: Firing,
  because: Message,
  move: Partial<ScheduleMove>,
): Promise<Fired> {
  const { tx, scope, starter, timetable } = turn;
  // This write locks the row, so no other process can look for the run at the same time.
  await moveOn(turn, move);
  if (await hasRunFor(tx, starter, nominalOf(firing))) return nothing;
  const outcome = await createTask(tx, scope, values, { firing, zone: timetable.zone });
  await endFiring(turn, firing, { because, ...outcome }, {});
  return { entered: [], hasMore: true };
}

/** Records the outcome of a firing that starts no action, and moves the schedule on. */
async function endFiring(
  turn: Turn,
  firing: Firing,
  { result, because = '', task }: Outcome,
  move: Partial<ScheduleMove>,
): Promise<void> {
  const { tx, starter } = turn;
  const nominal = nominalOf(firing);
  const run = { starter, task, eventId: null, isCaused: false, chain: [], because, nominal, result };
  await recordRun(tx, { ...run, cause: causeOfRun(starter, null, []) });
  await moveOn(turn, { ...move, ...last(turn, firing, result) });
}

const last = ({ state }: Turn, firing: Firing, lastResult: Outcome['result']): Partial<ScheduleMove> => ({
  lastNominal: nominalOf(firing),
  lastAt: state.now,
  lastResult,
});

async function startPage(
  turn: Turn,
  firing: Firing,
  because: Message,
  move: Partial<ScheduleMove>,
): Promise<Fired> {
  const { tx, scope, starter, schedule, timetable, state } = turn;
  const action = await actionOf(scope, schedule.run ?? '');
  if (!action || schedule.for === undefined) {
    await moveOn(turn, { ...move, ...ended });
    return nothing;
  }
  const conditions = conditionsNow(scope, schedule.for, { firing, zone: timetable.zone });
  if (!Array.isArray(conditions)) {
    await endFiring(turn, firing, { result: 'failed', because: conditions }, { ...move, ...ended });
    return nothing;
  }
  const list = { conditions, sort: [], showsInstants: false, showsLinks: false, showsVersion: false };
  const after = state.afterTaskId === null ? undefined : [state.afterTaskId];
  const { rows, next } = await readTasks(tx, scope, list, after, PAGE);
  const given = schedule.fields ? { set: schedule.fields } : null;
  const wanted = { starter, scope, action, chain: [], because, nominal: nominalOf(firing), given };
  const ids = rows.map(({ id }) => id);
  const entered = await startRuns(tx, wanted, ids);
  const isDone = next === undefined;
  await moveOn(turn, {
    ...move,
    ...last(turn, firing, 'started'),
    firing: isDone ? null : firing,
    afterTaskId: next?.[0] ?? null,
  });
  return { entered, hasMore: true };
}

const ended = { firing: null, afterTaskId: null };

/** The conditions of a query, or why it is no longer valid: a user left, or an option was removed. */
function conditionsNow({ workflow }: Scope, query: string, place: FiringPlace): Condition[] | Message {
  try {
    return [...conditionsOf(workflow.schema, query, place)];
  } catch (error) {
    const because = reasonOfFailure(error);
    if (because === undefined) throw error;
    return because;
  }
}

async function moveOn({ tx, claimed }: Turn, move: Partial<ScheduleMove>): Promise<void> {
  if (!(await moveSchedule(tx, claimed, move))) throw new LostLease();
}
