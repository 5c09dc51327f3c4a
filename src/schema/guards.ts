import { type Message } from '../lib/message.js';

/** Who asks for a change: a payload, a page or a batch; or the step of an action, as which a forced import counts. */
export type Asker = 'payload' | 'action';

/** Why an asker may not change what a task has under a key; to send what it has already is no change. */
export interface Guard {
  readonly name: string;
  /** Why a task that exists keeps its value. */
  readonly changing: Message;
  /** Why a new task gets its default; absent where it may get any value. */
  readonly creating?: Message;
}

/** What an asker may not change, by the id of a field or the side of a relationship. */
export type Guards = ReadonlyMap<string, Guard>;

/** A key, and what the definition says of it. */
export interface Guarded {
  readonly key: string;
  readonly name: string;
  readonly isFixed: boolean;
  readonly isByActions: boolean;
}

/** What the definition keeps this asker from changing. */
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
