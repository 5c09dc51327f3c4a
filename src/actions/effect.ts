import { type Type } from '@nestjs/common';
import { type Message } from '../common/message.js';

/**
 * An action of a step on another system, which cannot be undone. It is carried out before the task is locked, once per
 * execution. Its answer is kept in the journal, where a later run finds it. A step that sends a request by HTTP uses
 * `httpCall`, which adds the `Idempotency-Key`. To add another kind, write a file in effects/ and use it in a step.
 */
export interface EffectKind<Request = unknown> {
  room(request: Request, sender: Sender): EffectRoom;
  /** The maximum number of tries, and the time limit of each in milliseconds. */
  tries(request: Request): { readonly most: number; readonly timeoutMs: number };
  /** Makes one try; throws `StepFailed` if no further try can help. */
  attempt(request: Request, sender: Sender, signal: AbortSignal): Promise<Attempt>;
}

/** The resources of a running effect. One receiver may use up to a quarter of the total. */
export interface EffectRoom {
  /** The origin of the other system. */
  readonly receiver: string;
  /** The number of characters held in memory, besides those of the task. */
  readonly held: number;
}

export type Attempt =
  | { readonly answer: EffectAnswer }
  | {
      /** Why it failed. It contains nothing that the other system sent or reveals about itself. */
      readonly reason: Message;
      /** Whether a later try may succeed. */
      readonly isPassing: boolean;
      /** The `Retry-After` header of the answer. */
      readonly retryAfter?: string | undefined;
    };

export interface EffectAnswer {
  /** The part of the answer that the step reads, as JSON: its `task`, or all of it; null if there is none. */
  readonly task: string | null;
}

export interface Sender {
  readonly workspaceId: number;
  /** All tries share this key, so that the receiver can recognize repetitions. */
  readonly idempotencyKey: string;
  readonly provider: <T>(token: Type<T> | symbol) => T;
}
