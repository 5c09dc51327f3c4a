import { type Type } from '@nestjs/common';
import { type Message } from '../common/message.js';

/**
 * A kind of effect: a request of a step to another system. The request cannot be undone, and is made before
 * the task is locked. The answer is stored, so that a later run of the execution does not repeat the request.
 * A step that sends an HTTP request uses `httpCall`, which adds the `Idempotency-Key`. To add another kind,
 * write a file in effects/ and use it in a step.
 */
export interface EffectKind<Request = unknown> {
  room(request: Request, sender: Sender): EffectRoom;
  /** The maximum number of tries, and the time limit of each in milliseconds. */
  tries(request: Request): { readonly most: number; readonly timeoutMs: number };
  /** Makes one try. After a `StepFailed`, there is no further try. */
  attempt(request: Request, sender: Sender, signal: AbortSignal): Promise<Attempt>;
}

/**
 * What a running effect keeps in memory. All effects on one receiver together may use at most a quarter of
 * the memory for effects.
 */
export interface EffectRoom {
  /** The origin of the other system's URL. */
  readonly receiver: string;
  /** The number of characters that the effect keeps in memory, in addition to the task. */
  readonly held: number;
}

export type Attempt =
  | { readonly answer: EffectAnswer }
  | {
      /** Why the try failed. Apart from the status, it contains nothing of the other system's answer. */
      readonly reason: Message;
      /** Whether a later try may succeed. */
      readonly isPassing: boolean;
      /** The `Retry-After` header of the answer. */
      readonly retryAfter?: string | undefined;
    };

export interface EffectAnswer {
  /** The JSON that the step reads: the `task` of the answer, or the whole answer. Null if there is none. */
  readonly task: string | null;
}

export interface Sender {
  readonly workspaceId: number;
  /** All tries share this key, so that the receiver can recognize repetitions. */
  readonly idempotencyKey: string;
  readonly provider: <T>(token: Type<T> | symbol) => T;
}
