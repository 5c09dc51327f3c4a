import { type EntityManager } from 'typeorm';
import { sourceOf, type Source } from '../../common/origin.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type Follower, type FollowerTurn } from '../../events/follower.js';
import { type Workspace } from '../../workflows/model/workspace.js';
import { type Calendar } from '../../workflows/time/calendar.js';
import { amountBetween } from '../../workflows/time/working-time.js';
import { dayAt, dayText, zoneOf } from '../../workflows/time/zone.js';
import { addPassages, lastVisits, type Passage, type Visit, writeVisits } from './visits.repository.js';

/**
 * Records for the figures where tasks have been: each stay in a stage, and how many tasks moved between stages each
 * day.
 */
export const figuresFollower: Follower = {
  name: 'figures',
  wants: () => true,
  types: ['task.created', 'task.updated', 'task.deleted'],
  async prepare({ tx, workspace }, events) {
    const ids = new Set(events.filter(isPassage).map(({ taskId }) => taskId));
    const visits = ids.size === 0 ? [] : await lastVisits(tx, workspace.id, [...ids]);
    const last = new Map(visits.map((visit) => [visit.taskId, visit]));
    ofTurns.set(tx, { last, written: new Map(), passages: new Map() });
  },
  follow(turn, event) {
    if (isPassage(event)) notePassage(turn, event);
  },
  async finish({ tx, workspace }) {
    const { written, passages } = notesOf(tx);
    await writeVisits(tx, workspace.id, [...written.values()]);
    await addPassages(tx, workspace.id, [...passages.values()]);
  },
};

/** What this turn has recorded so far. */
interface Notes {
  /** By task. */
  readonly last: Map<string, Visit>;
  readonly written: Map<string, Visit>;
  readonly passages: Map<string, Passage>;
}

const ofTurns = new WeakMap<EntityManager, Notes>();

function notesOf(tx: EntityManager): Notes {
  const notes = ofTurns.get(tx);
  if (!notes) throw new Error('a turn of the figures has not begun');
  return notes;
}

type OfTask = RecordedEvent & { readonly taskId: string; readonly workflowId: number };

const isPassage = (event: RecordedEvent): event is OfTask =>
  event.taskId !== null && event.workflowId !== null && event.stageFrom !== event.stageTo;

/** Ends the visit that the task leaves, and begins the next. */
function notePassage({ tx, workspace }: FollowerTurn, event: OfTask): void {
  const { last, written, passages } = notesOf(tx);
  const known = last.get(event.taskId);
  const open = known?.leftAt === null ? known : undefined;
  // Nothing is known of the task, so it can leave no stage.
  if (!open && event.stageTo === null) return;
  const source = sourceOf(event.origin);
  const left = open && leave(open, event, workspace);
  const entered = event.stageTo === null ? undefined : enter(event, event.stageTo, source, left);
  for (const visit of [left, entered]) {
    if (!visit) continue;
    written.set(`${visit.taskId}/${visit.n}`, visit);
    last.set(visit.taskId, visit);
  }
  const passedAt = left?.leftAt ?? event.happenedAt.getTime();
  const day = dayText(dayAt(zoneOf(workspace.rows.workspace.timezone), passedAt));
  const isImported = (left ?? entered)?.isImported === true;
  const passage = { workflowId: event.workflowId, day, stageFrom: left?.stageId ?? 0, stageTo: event.stageTo ?? 0, isImported }; // prettier-ignore
  const key = JSON.stringify(passage);
  passages.set(key, { ...passage, n: (passages.get(key)?.n ?? 0) + 1 });
}

function leave(open: Visit, { happenedAt, stageTo }: OfTask, workspace: Workspace): Visit {
  // The clock of a server may be set back.
  const leftAt = Math.max(happenedAt.getTime(), open.enteredAt);
  const calendar = calendarOf(workspace);
  const workingMs = calendar ? amountBetween(calendar, 'working', open.enteredAt, leftAt) : null;
  return { ...open, leftAt, stageTo, workingMs };
}

/** A task counts as imported if its creation was not recorded, because its age is then unknown. */
function enter(event: OfTask, stageId: number, source: Source, left: Visit | undefined): Visit {
  const { taskId, workflowId, place } = event;
  const enteredAt = left?.leftAt ?? event.happenedAt.getTime();
  return {
    taskId,
    n: (left?.n ?? 0) + 1,
    workflowId,
    stageId,
    stageTo: null,
    enteredAt,
    leftAt: null,
    beganAt: left?.beganAt ?? enteredAt,
    workingMs: null,
    workedBeforeMs: left ? sumOf(left.workedBeforeMs, left.workingMs) : 0,
    isImported: left?.isImported ?? (event.type !== 'task.created' || isImport(source)),
    place,
    actor: source.user ?? source.key ?? null,
    execution: source.execution ?? null,
  };
}

/** Without a calendar, a part of the sum is unknown. */
const sumOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;

/** Whether the task was created by the command line, or by a key with `_silent`. */
const isImport = ({ user, execution, key, silent }: Source): boolean =>
  user === undefined && execution === undefined && (key === undefined || silent === true);

/** The calendar by which working time is counted: the first of the workspace. */
export const calendarOf = ({ calendars }: Pick<Workspace, 'calendars'>): Calendar | undefined =>
  [...calendars.values()][0];
