/** What a write demands of the task as it is. */
export interface Precondition {
  readonly mustExist: boolean;
  /** The versions that it may change; absent where any will do. */
  readonly versions: readonly number[] | undefined;
}

/** Demands nothing. */
export const noPrecondition: Precondition = { mustExist: false, versions: undefined };
