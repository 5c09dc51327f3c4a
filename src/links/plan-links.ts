import { FieldErrors } from '../lib/field-errors.js';
import { doesNotExist } from '../schema/properties/link.js';
import { type Link } from '../schema/task-schema.js';
import { type FarPlace, type FoundLinks, type LinkChange, type TaskPlace } from './find-links.js';
import { say } from '../lib/message.js';

/** The rows to add and to remove for changes of links. */
export interface LinkPlan {
  readonly added: readonly Partner[];
  readonly removed: readonly Partner[];
  /** Links of other tasks that give way, because what they lead to can be held by one task only. */
  readonly displaced: readonly Displaced[];
}

/** A task that the task is to be linked to, or was. */
export interface Partner {
  readonly link: Link;
  readonly other: FarPlace;
}

export interface Displaced extends Partner {
  /** The task that held it. */
  readonly rival: FarPlace;
}

/** The tasks at the other ends of links that a plan begins or ends, and those that its links are taken from. */
export function alteredBy({ added, removed, displaced }: LinkPlan): FarPlace[] {
  return [...[...added, ...removed].map(({ other }) => other), ...displaced.map(({ rival }) => rival)];
}

/** A plan, or why there is none. */
export interface Planned {
  readonly plan: LinkPlan;
  readonly errors: FieldErrors;
  /** References to nothing. */
  readonly missing: readonly string[];
  /** Tasks that are only to be locked. */
  readonly visited: readonly TaskPlace[];
}

/** Plans the changes of a task's links by what was found. */
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

/** New tasks that one array may name. */
const MAX_ADDED = 10_000;
/** References to nothing, and locked tasks, that are named one by one. */
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
    errors.add(link.name, 'would end a link with a task that you do not see');
  const displaced = rivals.flatMap(({ holds, ...rival }) => {
    const other = wanted.get(holds);
    return other ? [{ link, other, rival }] : [];
  });
  if (guard && added.length + removed.length > 0) errors.add(link.name, guard.changing);
  const partner = (other: TaskPlace): Partner => ({ link, other });
  return { added: added.map(partner), removed: removed.map(partner), displaced, missing };
}

/** Whether the change ends the link with a task that is held; what somebody does not see they do not unlink. */
function ends(
  { link, as }: Pick<LinkChange, 'link' | 'as'>,
  held: FarPlace,
  wanted: ReadonlyMap<string, TaskPlace>,
): boolean {
  if (isUnseen(held)) return false;
  if (as === 'removed') return wanted.has(held.id);
  // A task that can be linked to one other only leaves that one for the new.
  return (as === 'complete-set' || (as === 'added' && !link.isMultiple)) && !wanted.has(held.id);
}

const isUnseen = ({ isSeen }: FarPlace): boolean => isSeen === false;
