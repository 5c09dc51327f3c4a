import { type Principal } from '../../common/request.js';

/** A key, which has no role unless it acts as a user; or a user, with a role in each workflow. */
export type Viewer = KeyViewer | UserViewer;

type KeyViewer = Pick<Principal, 'keyId' | 'userId' | 'narrowing'>;

interface UserViewer {
  /** The internal id. */
  readonly userId: string;
  readonly keyId?: undefined;
  readonly narrowing?: undefined;
}
