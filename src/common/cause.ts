import { type RunKind } from './column-values.js';

/** The rule, clock, schedule or timer that started the execution behind a change. */
export interface Cause {
  readonly kind: RunKind;
  readonly id: string;
  /** The internal id of its workflow. Clients do not see it. */
  readonly workflow?: number | undefined;
  /** The public id of the event that caused it. */
  readonly event: string | null;
  /** The rules that triggered each other, first one first, each with the task of its event. */
  readonly chain: readonly ChainLink[];
  /** The internal id of the user whose change caused it, if any. Clients do not see it. */
  readonly initiator?: string | undefined;
}

export interface ChainLink {
  readonly rule: string;
  /** The internal id of its workflow. Clients do not see it. */
  readonly workflow?: number | undefined;
  /** The id in its `Task URL`. */
  readonly task: string;
}
