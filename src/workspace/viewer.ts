import { type Permissions, type Sight } from './roles.js';

/** Who looks at tasks and works with them: a key, which no role binds, or a user, whom the role in each workflow binds. */
export type Viewer = KeyViewer | UserViewer;

export interface KeyViewer {
  readonly keyId: string;
  readonly userId?: undefined;
}

export interface UserViewer {
  /** The internal id. */
  readonly userId: string;
  readonly keyId?: undefined;
}

/** What binds a user who may not do everything in a workflow, or does not see all that is linked to its tasks. */
export interface Bound {
  readonly userId: string;
  readonly permissions: Permissions;
  readonly sight: Sight;
}
