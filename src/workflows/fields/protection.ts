import { type Message, say } from '../../common/message.js';

/** The keys that a stage protects from changes while a task is in this stage. */
export interface Lock {
  readonly stage: string;
  /** The names of the locked keys, by `LockedKey.key`. */
  readonly barred: ReadonlyMap<string, string>;
}

/** The locks of a workflow by the ids of its stages. */
export type Locks = ReadonlyMap<number, Lock>;

export interface TaskLocks {
  readonly own: Locks;
  /** The locks of linked tasks, by this task's side of the relationship. */
  readonly far: (side: string) => Locks;
}

export const noLocks: TaskLocks = { own: new Map(), far: () => new Map() };

/**
 * A key of a task that a stage can lock. `key` is the id of a field, the side of a relationship, or the name
 * of a built-in key. A `TaskChange` uses the same `key`.
 */
export interface LockedKey {
  readonly key: string;
  readonly name: string;
}

interface LockingStage {
  readonly id: number;
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export function locksOf(stages: readonly LockingStage[], keys: readonly LockedKey[]): Locks {
  return new Map(
    stages.flatMap(({ id, name: stage, settings }): [number, Lock][] => {
      const { change } = settings;
      if (change === undefined) return [];
      const open: readonly unknown[] = Array.isArray(change) ? change : [];
      const barred = keys
        .filter(({ name }) => !open.includes(name))
        .map(({ key, name }) => [key, name] as const);
      return [[id, { stage, barred: new Map(barred) }]];
    }),
  );
}

export const lockedIn = ({ stage }: Lock): Message => say`may not be changed in ${stage}`;

export const lockedTask = (task: string, { stage }: Lock): Message =>
  say`${task}: may not be changed in ${stage}`;

export const keptIn = ({ stage }: Lock): Message => say`may not be deleted in ${stage}`;

export const oppositeSide = (side: string): string => (side.startsWith('>') ? '<' : '>') + side.slice(1);

/**
 * Where a change comes from. A change by a page or a batch counts as a payload. A change by a schedule, a
 * hook or a forced import counts as an action.
 */
export type Asker = 'payload' | 'action';

/** Why a writer may not change the value of a key. Sending the same value again is not a change. */
export interface Guard {
  readonly name: string;
  readonly changing: Message;
  /** Why a new task must get the default value; absent if it may get any value. */
  readonly creating?: Message;
}

/** The guards that apply to a writer, by field id or side of a relationship. */
export type Guards = ReadonlyMap<string, Guard>;

export interface Guarded {
  readonly key: string;
  readonly name: string;
  readonly isFixed: boolean;
  readonly isByActions: boolean;
}

export function guardsFor(asker: Asker, keys: readonly Guarded[]): Guards {
  const guards = new Map<string, Guard>();
  for (const { key, name, isFixed, isByActions } of keys) {
    const isBarred = asker === 'payload' && isByActions;
    if (!isFixed && !isBarred) continue;
    const changing = isFixed ? 'cannot be changed after creation' : byAction;
    guards.set(key, { name, changing, ...(isBarred && { creating: byAction }) });
  }
  return guards;
}

const byAction = 'is changed by an action';
