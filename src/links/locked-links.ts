import { type Message } from '../lib/message.js';
import { lockedIn, lockedTask, type Locks, oppositeSide, type TaskLocks } from '../schema/locks.js';
import { type BareTask } from '../task-store/task-row.js';
import { type FarPlace, type LinkChange } from './find-links.js';
import { type LinkPlan, MAX_NAMED, type Planned } from './plan-links.js';

type Rows = ReadonlyMap<string, BareTask>;

/** Adds to the errors of a plan what the stages of the locked tasks keep from being linked, unlinked or taken away. */
export function addLockedLinks(
  { plan, errors }: Planned,
  changes: readonly LinkChange[],
  taskId: string | undefined,
  rows: Rows,
): void {
  const told = new Set<string>();
  for (const { link, as, guard, locks } of changes) {
    if (!locks) continue;
    const lock = locks.own.get(rows.get(taskId ?? '')?.stageId ?? 0);
    const isAltered = [...plan.added, ...plan.removed].some((partner) => partner.link.side === link.side);
    // A task that goes is kept, or not, as a whole.
    if (isAltered && as !== 'ended' && !guard && lock?.barred.has(link.side))
      errors.add(link.name, lockedIn(lock));
    for (const [id, refusal] of refusalsOf(link.side, locks, plan, rows).slice(0, MAX_NAMED)) {
      const isTold = as === 'ended' && told.has(id);
      if (!isTold) errors.add(as === 'ended' ? 'base' : link.name, refusal);
      told.add(id);
    }
  }
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

const unseenTask = 'would change a task that you do not see, which may not be changed now';
