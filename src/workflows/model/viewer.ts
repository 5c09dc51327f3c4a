import { type Narrowing } from '../../common/column-values.js';

/** A key, which has no role unless it acts as a user; or a user, with a role in each workflow. */
export type Viewer = KeyViewer | UserViewer;

export interface KeyViewer {
  readonly keyId: string;
  /** The internal id of the user that the key acts as. */
  readonly userId?: string | undefined;
  readonly narrowing?: Narrowing | undefined;
}

interface UserViewer {
  /** The internal id. */
  readonly userId: string;
  readonly keyId?: undefined;
  readonly narrowing?: undefined;
}
