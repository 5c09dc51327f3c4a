import { type Stored } from '../schema/field-type.js';

/** What a write demands of the task as it is. */
export interface Precondition {
  readonly mustExist: boolean;
  /** The versions that it may change; absent where any will do. */
  readonly versions: readonly number[] | undefined;
  /** Entity tags that it must not have, without marks of weakness. */
  readonly excluded: readonly string[];
  /** Values by field id that it must hold already; those of fields that the change blanks are blank. */
  readonly holds: ReadonlyMap<string, Stored>;
}

/** Demands nothing. */
export const noPrecondition: Precondition = {
  mustExist: false,
  versions: undefined,
  excluded: [],
  holds: new Map(),
};
