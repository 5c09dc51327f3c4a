import { type Type } from '@nestjs/common';
import { type Message } from '../lib/message.js';

/**
 * Something that a step does outside, which cannot be undone. It is done before the task is locked, once in the life of an
 * execution: its answer is journalled, and a run that goes on elsewhere finds it there. Add one: a file in effects/, and the
 * step that names it.
 */
export interface EffectKind<Request = unknown> {
  /** What it takes while it is under way. */
  room(request: Request, sender: Sender): EffectRoom;
  /** How often it is tried, and how many milliseconds a try may take. */
  tries(request: Request): { readonly most: number; readonly timeoutMs: number };
  /** Tries it once; throws a `StepFailed` where no other try would help. */
  attempt(request: Request, sender: Sender, signal: AbortSignal): Promise<Attempt>;
}

/** What an effect under way takes: a receiver may have a quarter of all there is. */
export interface EffectRoom {
  /** The other system. */
  readonly receiver: string;
  /** Characters that are held meanwhile, those of the task apart. */
  readonly held: number;
}

/** What came of one try. */
export type Attempt =
  | { readonly answer: EffectAnswer }
  | {
      /** Why it failed, never with what the other side said or is. */
      readonly reason: Message;
      /** Whether it may succeed later. */
      readonly isPassing: boolean;
      /** A `Retry-After` of the other side. */
      readonly retryAfter?: string | undefined;
    };

/** What came back from another system, as the journal of the execution keeps it. */
export interface EffectAnswer {
  /** What the step reads of it, its `task` or all of it, as JSON text; null where there is nothing to read. */
  readonly task: string | null;
  /** Why the effect failed, of a step after whose failure the action goes on. */
  readonly failed?: Message;
}

/** On whose behalf an effect is done. */
export interface Sender {
  readonly workspaceId: number;
  /** All tries have this key, so that a receiver can tell that they are one. */
  readonly idempotencyKey: string;
  /** The header by which the other system tells us that rules led to what it does; undefined where none did. */
  readonly cause: () => string | undefined;
  /** A part of the service that the effect needs. */
  readonly provider: <T>(token: Type<T> | symbol) => T;
}
