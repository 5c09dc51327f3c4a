import { FieldErrors, InvalidFields } from '../../common/field-errors.js';
import { doesNotExist } from '../../workflows/fields/properties/link.js';
import { type Link } from '../../workflows/fields/task-schema.js';
import { type FarPlace, type FoundLinks, type LinkChange, type TaskPlace } from './find-links.js';
import { say, type Message } from '../../common/message.js';
import {
  lockedIn,
  lockedTask,
  type Locks,
  oppositeSide,
  type TaskLocks,
} from '../../workflows/fields/protection.js';
import { type BareTask } from '../store/task-row.js';

export interface LinkPlan {
  readonly added: readonly Partner[];
  readonly removed: readonly Partner[];
  /** Links of other tasks that are replaced, because only one task can hold the task at their other end. */
  readonly displaced: readonly Displaced[];
}

export interface Partner {
  readonly link: Link;
  readonly other: FarPlace;
}

export interface Displaced extends Partner {
  /** The task that held it before. */
  readonly rival: FarPlace;
}

/** The tasks at the other ends of added and removed links, and the tasks whose links are replaced. */
export function alteredBy({ added, removed, displaced }: LinkPlan): FarPlace[] {
  return [...[...added, ...removed].map(({ other }) => other), ...displaced.map(({ rival }) => rival)];
}

export interface Planned {
  readonly plan: LinkPlan;
  readonly errors: FieldErrors;
  readonly missing: readonly string[];
  /** Tasks that only have to be locked. */
  readonly visited: readonly TaskPlace[];
}

export function planLinks(changes: readonly LinkChange[], all: FoundLinks): Planned {
  const errors = new FieldErrors();
  const plans = changes.map((change, at) => planChange(change, at, all, errors));
  return {
    plan: {
      added: plans.flatMap(({ added }) => added),
      removed: plans.flatMap(({ removed }) => removed),
      displaced: plans.flatMap(({ displaced }) => displaced),
    },
    errors,
    missing: plans.flatMap(({ missing }) => missing),
    visited: changes.flatMap(({ as }, at) => (as === 'visited' ? (all.held[at] ?? []) : [])),
  };
}

/** The most new tasks in one array. */
const MAX_ADDED = 10_000;
/** The most missing or locked tasks that errors name one by one. */
export const MAX_NAMED = 100;

function planChange(
  { link, as, guard, references }: LinkChange,
  at: number,
  all: FoundLinks,
  errors: FieldErrors,
): LinkPlan & Pick<Planned, 'missing'> {
  const found = all.found[at] ?? new Map<string, TaskPlace>();
  const missing = references.filter((value) => !found.has(value));
  for (const value of missing.slice(0, MAX_NAMED)) errors.add(link.name, doesNotExist(value).said);
  if (missing.length > MAX_NAMED)
    errors.add(link.name, say`names ${missing.length - MAX_NAMED} more tasks that do not exist`);

  const wanted = new Map([...found.values()].map((place) => [place.id, place]));
  const held = new Map(all.held[at]?.map((place) => [place.id, place]));
  if (as !== 'removed' && all.task && wanted.has(all.task.id))
    errors.add(link.name, 'cannot be the task itself');
  const isAdding = as === 'complete-set' || as === 'added';
  const added = isAdding ? [...wanted.values()].filter(({ id }) => !held.has(id)) : [];
  if (added.length > MAX_ADDED) errors.add(link.name, 'links more than 10,000 new tasks at once');
  const removed = [...held.values()].filter((place) => ends({ link, as }, place, wanted));
  const rivals = (all.rivals[at] ?? []).filter(({ holds }) => wanted.has(holds) && !held.has(holds));
  const isCrowded = !link.isMultiple && added.length > 0 && [...held.values()].some(isUnseen);
  if (isCrowded || rivals.some(isUnseen))
    errors.add(link.name, 'would remove a link to a task that you cannot see');
  const displaced = rivals.flatMap(({ holds, ...rival }) => {
    const other = wanted.get(holds);
    return other ? [{ link, other, rival }] : [];
  });
  if (guard && added.length + removed.length > 0) errors.add(link.name, guard.changing);
  const partner = (other: TaskPlace): Partner => ({ link, other });
  return { added: added.map(partner), removed: removed.map(partner), displaced, missing };
}

/** Whether the change ends the link with this task. A viewer cannot unlink tasks that they do not see. */
function ends(
  { link, as }: Pick<LinkChange, 'link' | 'as'>,
  held: FarPlace,
  wanted: ReadonlyMap<string, TaskPlace>,
): boolean {
  if (isUnseen(held)) return false;
  if (as === 'removed') return wanted.has(held.id);
  // On a side that takes one task only, the new task replaces the old.
  return (as === 'complete-set' || (as === 'added' && !link.isMultiple)) && !wanted.has(held.id);
}

const isUnseen = ({ isSeen }: FarPlace): boolean => isSeen === false;

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

/** Why links of other tasks must stay when the tasks at their other ends are deleted; one message per task. */
export function refusalsOfEnding(
  held: readonly (FarPlace & { readonly side: string })[],
  { far }: TaskLocks,
  rows: Rows,
): Message[] {
  const refusals = held.flatMap((link) => refusalOf(link, rows, far(link.side), oppositeSide(link.side)));
  return [...new Map(refusals).values()].slice(0, MAX_NAMED);
}

/** Why links of other tasks with this task must stay, by the ids of these tasks. */
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

/** Links would be taken from these other tasks, given by their public ids, and the sender has not agreed to that. */
export class LinksTaken extends InvalidFields {
  constructor(
    { fields }: FieldErrors,
    readonly holders: readonly string[],
  ) {
    super(fields);
  }
}

/** Throws if the plan, whose tasks are locked, takes a link from a task whose public id is not among these. */
export function requireAgreed(
  { displaced }: LinkPlan,
  rows: ReadonlyMap<string, BareTask>,
  agreed: readonly string[],
): void {
  const errors = new FieldErrors();
  const holders = displaced.flatMap(({ link, other, rival }) => {
    const holder = rival.isSeen === false ? undefined : rows.get(rival.id);
    if (!holder || agreed.includes(holder.publicId)) return [];
    const id = rows.get(other.id)?.uniqueValue ?? '';
    errors.add(link.name, say`${id} is linked to ${holder.uniqueValue ?? holder.publicId}`);
    return [holder.publicId];
  });
  if (holders.length > 0) throw new LinksTaken(errors, holders);
}
