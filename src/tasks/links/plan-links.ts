import { FieldErrors } from '../../common/field-errors.js';
import { doesNotExist } from '../../workflows/fields/properties/link.js';
import { type Link } from '../../workflows/fields/task-schema.js';
import {
  type FarPlace,
  type FoundChange,
  type FoundLinks,
  type LinkChange,
  type TaskPlace,
} from './find-links.js';
import { say, type Message } from '../../common/message.js';
import { lockedIn, lockedTask, type Locks, oppositeSide } from '../../workflows/fields/protection.js';
import { type BareTask } from '../store/task-row.js';

/** A link to create or delete. */
export interface LinkEdit {
  readonly link: Link;
  readonly begins: boolean;
  readonly other: FarPlace;
  /** The task that loses its link to `other`; absent if the written task gets or loses the link. */
  readonly rival?: FarPlace;
}

/** Returns the tasks whose links change, except the task being written. */
export const alteredBy = (plan: readonly LinkEdit[]): FarPlace[] =>
  plan.map(({ other, rival }) => rival ?? other);

/** Whether the plan changes links of the task being written. */
export const altersLinks = (plan: readonly LinkEdit[]): boolean => plan.some(({ rival }) => !rival);

export interface Planned {
  readonly plan: readonly LinkEdit[];
  readonly errors: FieldErrors;
  readonly missing: readonly string[];
  /** Tasks to lock without changing their links. */
  readonly visited: readonly TaskPlace[];
}

export function planLinks({ task, changes }: FoundLinks): Planned {
  const errors = new FieldErrors();
  return {
    plan: changes.flatMap((change) => planChange(change, task, errors)),
    errors,
    missing: changes.flatMap(missingOf),
    visited: changes.flatMap(({ as, held }) => (as === 'visited' ? held : [])),
  };
}

const missingOf = ({ references, found }: FoundChange): string[] =>
  references.filter((value) => !found.has(value));

/** The maximum number of tasks that one array may newly link. */
const MAX_ADDED = 10_000;
/** For each property, errors name at most this many missing tasks, and this many tasks with locked links. */
const MAX_NAMED = 100;

function planChange(change: FoundChange, task: TaskPlace | undefined, errors: FieldErrors): LinkEdit[] {
  const { link, as, guard } = change;
  const missing = missingOf(change);
  for (const value of missing.slice(0, MAX_NAMED)) errors.add(link.name, doesNotExist(value).said);
  if (missing.length > MAX_NAMED)
    errors.add(link.name, say`names ${missing.length - MAX_NAMED} more tasks that do not exist`);

  const wanted = new Map([...change.found.values()].map((place) => [place.id, place]));
  const held = new Map(change.held.map((place) => [place.id, place]));
  if (as !== 'removed' && task && wanted.has(task.id)) errors.add(link.name, 'cannot be the task itself');
  const isAdding = as === 'complete-set' || as === 'added';
  const added = isAdding ? [...wanted.values()].filter(({ id }) => !held.has(id)) : [];
  if (added.length > MAX_ADDED) errors.add(link.name, 'links more than 10,000 new tasks at once');
  const removed = [...held.values()].filter((place) => ends(change, place, wanted));
  const rivals = change.rivals.filter(({ value }) => wanted.has(value) && !held.has(value));
  const isCrowded = !link.isMultiple && added.length > 0 && [...held.values()].some(isUnseen);
  if (isCrowded || rivals.some(isUnseen))
    errors.add(link.name, 'would remove a link to a task that you cannot see');
  if (guard && added.length + removed.length > 0) errors.add(link.name, guard.changing);
  return [
    ...added.map((other) => ({ link, begins: true, other })),
    ...removed.map((other) => ({ link, begins: false, other })),
    ...rivals.flatMap((rival) => {
      const other = wanted.get(rival.value);
      return other ? [{ link, begins: false, other, rival }] : [];
    }),
  ];
}

/** Whether the change ends the link with this task. Only `ended` unlinks tasks that the viewer cannot see. */
function ends({ link, as }: LinkChange, held: FarPlace, wanted: ReadonlyMap<string, TaskPlace>): boolean {
  if (as === 'ended') return true;
  if (isUnseen(held)) return false;
  if (as === 'removed') return wanted.has(held.id);
  // If the side allows only one task, the new task replaces the old one.
  return (as === 'complete-set' || (as === 'added' && !link.isMultiple)) && !wanted.has(held.id);
}

const isUnseen = ({ isSeen }: FarPlace): boolean => isSeen === false;

type Rows = ReadonlyMap<string, BareTask>;

/** Adds errors to the plan if the stage of a task forbids a change of its links. */
export function addLockedLinks(
  { plan, errors }: Planned,
  changes: readonly LinkChange[],
  task: BareTask | undefined,
  rows: Rows,
): void {
  for (const { link, guard, locks } of changes) {
    if (!locks) continue;
    const { side } = link;
    const edits = plan.filter((edit) => edit.link.side === side);
    const lock = locks.own.get(task?.stageId ?? 0);
    if (altersLinks(edits) && !guard && lock?.barred.has(side)) errors.add(link.name, lockedIn(lock));
    const refusals = edits.flatMap(({ other, rival }) =>
      rival
        ? refusalOf(rival, rows, locks.own, side)
        : refusalOf(other, rows, locks.far(side), oppositeSide(side)),
    );
    for (const [, refusal] of refusals.slice(0, MAX_NAMED)) errors.add(link.name, refusal);
  }
}

function refusalOf({ id, isSeen }: FarPlace, rows: Rows, locks: Locks, side: string): [string, Message][] {
  const row = rows.get(id);
  const lock = row && locks.get(row.stageId);
  if (!row || !lock?.barred.has(side)) return [];
  return [[id, isSeen === false ? unseenTask : lockedTask(row.uniqueValue ?? row.publicId, lock)]];
}

const unseenTask = 'would change a task that you cannot see and that cannot be changed now';

/**
 * Throws if a newly linked task would lose its link to another task that the viewer sees. All tasks of the
 * plan must be locked.
 */
export function requireFree(plan: readonly LinkEdit[], rows: Rows): void {
  const errors = new FieldErrors();
  for (const { link, other, rival } of plan) {
    const holder = !rival || isUnseen(rival) ? undefined : rows.get(rival.id);
    const id = rows.get(other.id)?.uniqueValue ?? '';
    if (holder) errors.add(link.name, say`${id} is linked to ${holder.uniqueValue ?? holder.publicId}`);
  }
  errors.throwIfAny();
}
