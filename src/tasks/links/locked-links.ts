import { type Message } from '../../common/message.js';
import {
  lockedIn,
  lockedTask,
  type Locks,
  oppositeSide,
  type TaskLocks,
} from '../../workflows/fields/locks.js';
import { type BareTask } from '../store/task-row.js';
import { type FarPlace, type LinkChange } from './find-links.js';
import { type LinkPlan, MAX_NAMED, type Planned } from './plan-links.js';

type Rows = ReadonlyMap<string, BareTask>;

/** Adds an error to the plan for each link that the stages of the locked tasks protect. */
export function addLockedLinks(
  { plan, errors }: Planned,
  changes: readonly LinkChange[],
  taskId: string | undefined,
  rows: Rows,
): void {
  for (const { link, guard, locks } of changes) {
    if (!locks) continue;
    const lock = locks.own.get(rows.get(taskId ?? '')?.stageId ?? 0);
    const isAltered = [...plan.added, ...plan.removed].some((partner) => partner.link.side === link.side);
    if (isAltered && !guard && lock?.barred.has(link.side)) errors.add(link.name, lockedIn(lock));
    for (const [, refusal] of refusalsOf(link.side, locks, plan, rows).slice(0, MAX_NAMED))
      errors.add(link.name, refusal);
  }
}

/** Why tasks keep these links when the tasks at their other ends are deleted; each task once. */
export function refusalsOfEnding(
  held: readonly (FarPlace & { readonly side: string })[],
  { far }: TaskLocks,
  rows: Rows,
): Message[] {
  const refusals = held.flatMap((link) => refusalOf(link, rows, far(link.side), oppositeSide(link.side)));
  return [...new Map(refusals).values()].slice(0, MAX_NAMED);
}

/** Why other tasks keep their links with the task, by their ids. */
function refusalsOf(
  side: string,
  { own, far }: TaskLocks,
  { added, removed, displaced }: LinkPlan,
  rows: Rows,
): [string, Message][] {
  const isOf = (partner: { readonly link: { readonly side: string } }): boolean => partner.link.side === side;
  return [
    ...[...added, ...removed]
      .filter(isOf)
      .flatMap(({ other }) => refusalOf(other, rows, far(side), oppositeSide(side))),
    ...displaced.filter(isOf).flatMap(({ rival }) => refusalOf(rival, rows, own, side)),
  ];
}

function refusalOf({ id, isSeen }: FarPlace, rows: Rows, locks: Locks, side: string): [string, Message][] {
  const row = rows.get(id);
  const lock = row && locks.get(row.stageId);
  if (!row || !lock?.barred.has(side)) return [];
  return [[id, isSeen === false ? unseenTask : lockedTask(row.uniqueValue ?? row.publicId, lock)]];
}

const unseenTask = 'would change a task that you cannot see and that cannot be changed now';
