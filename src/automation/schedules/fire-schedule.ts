import { type EntityManager } from 'typeorm';
import { actionOf } from '../../actions/action.js';
import { reasonOfFailure } from '../../actions/step.js';
import { type Firing, nextFirings, type Timetable } from '../../workflows/time/firings.js';
import { Origin } from '../../common/origin.js';
import { Doorbell } from '../../common/ops/doorbell.js';
import { type JobParts } from '../../common/ops/job-kind.js';
import { type ExecutionKey, executionJob } from '../../executions/executions.repository.js';
import { type Message, say, ofField } from '../../common/message.js';
import { causeOfRun, type Starter, type RunTask } from '../../executions/runs/run.js';
import { recordRun, hasRunFor } from '../../executions/runs/runs.repository.js';
import { startRun } from '../../executions/runs/start-run.js';
import { type Condition } from '../../workflows/fields/condition.js';
import { assertDefinition } from '../../tasks/store/assert-definition.js';
import { readTasks } from '../../tasks/store/list.repository.js';
import { schedules } from './schedules.kind.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { Scope } from '../../workflows/model/scope.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { findWorkflow } from '../../workflows/model/workspace.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { askedFiring, dueFiring, nominalOf, timetableOf } from './timetable.js';
import {
  type ClaimedSchedule,
  lockScheduleState,
  moveSchedule,
  type ScheduleState,
} from './schedule-states.repository.js';
import { type FiringPlace, conditionsOf, fillIn } from './placeholders.js';
import { pauses } from '../../../packages/fair/turn.js';
import { toJson } from '../../../packages/exact-json/json.js';
import { TryAgain } from '../../common/errors.js';
import { type RunResult } from '../../common/column-values.js';
import { type ParsedTask, parseTask } from '../../workflows/fields/parse-task.js';
import { validateCreation } from '../../workflows/fields/validate-task.js';
import { isTaken } from '../../tasks/store/task-keys.js';
import { noPrecondition } from '../../tasks/store/task-row.js';
import { insertTask } from '../../tasks/store/upsert-task.js';

/** One transaction inserts at most this many executions. */
const PAGE = 100;

/** Runs the next step of a claimed schedule in one transaction; returns whether another step is due. */
export async function fireSchedule(parts: JobParts, claimed: ClaimedSchedule): Promise<boolean> {
  const { workspaceId, workflowId, scheduleId: starterId } = claimed;
  const workspace = await parts.provider(Workspaces).get(workspaceId);
  const workflow = findWorkflow(workspace, workflowId);
  if (!workflow) return false;
  const starter: Starter = { workspaceId, kind: 'schedule', workflowId, starterId, performer: undefined };
  const origin = new Origin({ cause: causeOfRun({ starter }) });
  let entered: readonly ExecutionKey[] = [];
  const isDue = await parts
    .provider(UnitOfWork)
    .transaction(new Scope(workflow, undefined, undefined, origin), async (tx, scope) => {
      await assertDefinition(tx, scope.workflow);
      const state = await lockScheduleState(tx, claimed);
      const schedule = schedules.in(scope.workflow).find(({ id }) => id === starterId);
      const timetable = schedule && timetableOf(schedule, scope.workflow);
      if (!state || !timetable) return false;
      const step = await fireOnce({ tx, scope, starter, schedule, timetable, state });
      entered = step.entered ?? [];
      const after = { ...state, askedAt: null, firing: null, afterTaskId: null, ...step };
      // An unfinished firing continues at once.
      const later = nextFirings(timetable, after.countedFrom.getTime(), 1)[0]?.instant;
      const next = after.firing ? state.now.getTime() : later;
      return moveSchedule(tx, claimed, after, next === undefined ? null : new Date(next));
    });
  for (const execution of entered) parts.provider(Doorbell).ring(executionJob, execution);
  return isDue;
}

interface Turn {
  readonly tx: EntityManager;
  readonly scope: Scope;
  readonly starter: Starter;
  readonly schedule: ScheduleDefinition;
  readonly timetable: Timetable;
  readonly state: ScheduleState;
}

/**
 * What a step changes in the state, and the executions that it started. If `firing` is left out, the firing
 * has ended, and the schedule waits for its next time.
 */
interface Step extends Partial<ScheduleState> {
  readonly entered?: readonly ExecutionKey[];
}

/** Continues an unfinished firing. If there is none, begins a requested firing, or else a due one. */
async function fireOnce(turn: Turn): Promise<Step> {
  const { timetable, state } = turn;
  const { firing, askedAt, now } = state;
  if (firing) return fire(turn, firing, reasonFor(firing));
  if (askedAt)
    return {
      ...(await fire(turn, askedFiring(timetable, askedAt.getTime()), 'somebody requested it')),
      askedAt,
    };
  const due = dueFiring(timetable, state.countedFrom.getTime(), now.getTime());
  return {
    ...(due.firing && (await fireDue(turn, due.firing, due.isMissed))),
    countedFrom: new Date(due.countedTo),
  };
}

async function fireDue(turn: Turn, firing: Firing, isMissed: boolean): Promise<Step> {
  const { isPaused, now } = turn.state;
  if (isPaused) return endFiring(turn, firing, { result: 'skipped', because: 'the schedule is paused' });
  if (isMissed) return endFiring(turn, firing, { result: 'missed', because: lateness(firing, now) });
  return fire(turn, firing, reasonFor(firing));
}

const reasonFor = (firing: Firing): Message => say`the schedule fired for ${nominalOf(firing)}`;

const lateness = ({ instant }: Firing, now: Date): Message =>
  say`the service was ${Math.round((now.getTime() - instant) / 60_000)} minutes late`;

async function fire(turn: Turn, firing: Firing, because: Message): Promise<Step> {
  const { tx, scope, starter, schedule, timetable } = turn;
  const place = { firing, zone: timetable.zone };
  if (!schedule.create) return startPage(turn, place, because);
  if (await hasRunFor(tx, starter, nominalOf(firing))) return {};
  return endFiring(turn, firing, { because, ...(await createTask(tx, scope, schedule.create, place)) });
}

/** Records the outcome of a firing that starts no action. */
async function endFiring(turn: Turn, firing: Firing, { result, because = '', task }: Outcome): Promise<Step> {
  const { tx, starter } = turn;
  await recordRun(tx, { starter, task, because, nominal: nominalOf(firing), result });
  return {};
}

/** Starts the action on the next tasks of the query. */
async function startPage(turn: Turn, place: FiringPlace, because: Message): Promise<Step> {
  const { tx, scope, starter, schedule, state } = turn;
  const { firing } = place;
  const action = await actionOf(scope, schedule.run ?? '');
  if (!action || schedule.for === undefined) return {};
  const conditions = conditionsNow(scope, schedule.for, place);
  if (!Array.isArray(conditions)) return endFiring(turn, firing, { result: 'failed', because: conditions });
  const list = { conditions, sort: [], showsLinks: false };
  const after = state.afterTaskId === null ? undefined : [state.afterTaskId];
  const { rows, next } = await readTasks(tx, scope, list, after, PAGE);
  const given = schedule.fields ? { set: schedule.fields } : null;
  const run = { starter, scope, action, because, nominal: nominalOf(firing), given };
  const entered: ExecutionKey[] = [];
  for (const { id: taskId, publicId, uniqueValue } of rows) {
    const task = { workflowId: scope.workflow.id, taskId, publicId, uniqueValue };
    const execution = await startRun(tx, { ...run, task });
    if (execution) entered.push(execution);
  }
  return { entered, ...(next && { firing, afterTaskId: next[0] }) };
}

/** Parses a query. Returns a reason if the query has become invalid: an option may have been removed. */
function conditionsNow({ workflow }: Scope, query: string, place: FiringPlace): Condition[] | Message {
  try {
    return [...conditionsOf(workflow.schema, query, place)];
  } catch (error) {
    const because = reasonOfFailure(error);
    if (because === undefined) throw error;
    return because;
  }
}

interface Outcome {
  readonly result: RunResult;
  readonly because?: Message;
  readonly task?: RunTask;
}

/** Creates the task of a firing. Never changes an existing task. */
async function createTask(
  tx: EntityManager,
  scope: Scope,
  create: NonNullable<ScheduleDefinition['create']>,
  place: FiringPlace,
): Promise<Outcome> {
  const parsed = await parseCreated(scope, create, place);
  if ('result' in parsed) return parsed;
  const { workflow } = scope;
  const { uniqueValue } = parsed.change;
  if (uniqueValue != null && (await isTaken(tx, workflow, uniqueValue)))
    return {
      result: 'skipped',
      because: ofField(workflow.schema.uniqueId?.name ?? '', 'has already been taken'),
    };
  const written = await insertTask(tx, scope, parsed.change, noPrecondition);
  if (!written?.isCreated) throw new TryAgain('another transaction created the task');
  const { id: taskId, publicId, uniqueValue: made } = written.task;
  return { result: 'started', task: { workflowId: workflow.id, taskId, publicId, uniqueValue: made } };
}

async function parseCreated(
  scope: Scope,
  create: NonNullable<ScheduleDefinition['create']>,
  place: FiringPlace,
): Promise<ParsedTask | Outcome> {
  const { schema } = scope.workflow;
  const values = Object.entries(create).map(
    ([name, value]) => [name, toJson(typeof value === 'string' ? fillIn(value, place) : value)] as const,
  );
  try {
    const parsed = await parseTask(schema, new Map(values), pauses(scope), 'action');
    validateCreation(schema, parsed).throwIfAny();
    return parsed;
  } catch (error) {
    // A value of the definition may become invalid: a user was removed, or a date is too far in the future.
    const because = reasonOfFailure(error);
    if (because === undefined) throw error;
    return { result: 'failed', because };
  }
}
