/** What started the execution that changes something, where that was neither a person nor a client. */
export interface Cause {
  readonly kind: 'rule' | 'clock' | 'schedule' | 'timer';
  readonly id: string;
  /** The id of the event that led to it, as clients see it. */
  readonly event: string | null;
  /** The rules that led from one to the next, the first one first, each with the task of its event. */
  readonly chain: readonly ChainLink[];
  /** The internal id of the user whose change led to it, if it was a user's; clients do not see it. */
  readonly initiator?: string | undefined;
}

export interface ChainLink {
  readonly rule: string;
  /** As in its `Task URL`. */
  readonly task: string;
}
