import { type Message } from '../../common/message.js';

/** The source of a change: a payload (also of a page or batch), or an action (also a forced import). */
export type Asker = 'payload' | 'action';

/** Why an asker may not change the value under a key; sending the same value again is no change. */
export interface Guard {
  readonly name: string;
  /** Why an existing task keeps its value. */
  readonly changing: Message;
  /** Why a new task gets its default; absent if it may get any value. */
  readonly creating?: Message;
}

/** What an asker may not change, by the id of a field or the side of a relationship. */
export type Guards = ReadonlyMap<string, Guard>;

/** A key with its settings in the definition. */
export interface Guarded {
  readonly key: string;
  readonly name: string;
  readonly isFixed: boolean;
  readonly isByActions: boolean;
}

/** The keys that the definition protects from this asker. */
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
