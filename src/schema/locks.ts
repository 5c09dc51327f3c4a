import { type Message, say } from '../lib/message.js';

/** What a stage keeps from being changed while a task stands there. */
export interface Lock {
  readonly stage: string;
  /** The names of the locked keys by the id of a field, the side of a relationship, or the name of a built-in. */
  readonly barred: ReadonlyMap<string, string>;
}

/** The locks of a workflow by the ids of its stages. */
export type Locks = ReadonlyMap<number, Lock>;

/** What stages keep an asker from changing. */
export interface TaskLocks {
  readonly own: Locks;
  /** The locks of the tasks at the other end of a relationship, by the task's own side. */
  readonly far: (side: string) => Locks;
}

/** Nothing is locked. */
export const noLocks: TaskLocks = { own: new Map(), far: () => new Map() };

/** What locks name: a key of tasks, and how a change tells it from others. */
export interface LockedKey {
  readonly key: string;
  readonly name: string;
}

/** A stage, and what else the definition says of it. */
interface LockingStage {
  readonly id: number;
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The locks that the stages of a workflow have for these keys. */
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

/** Why a locked value stays as it is. */
export const lockedIn = ({ stage }: Lock): Message => say`may not be changed in ${stage}`;

/** Why a locked task of another name stays as it is. */
export const lockedTask = (task: string, { stage }: Lock): Message =>
  say`${task}: may not be changed in ${stage}`;

/** Why a locked task is not deleted. */
export const keptIn = ({ stage }: Lock): Message => say`may not be deleted in ${stage}`;

/** The other side of a relationship. */
export const oppositeSide = (side: string): string => (side.startsWith('>') ? '<' : '>') + side.slice(1);
