import { type Impact } from '../../workflows/model/impact.js';
import { type AnyFollower } from '../follower.js';
import { setFollowers } from './followers.repository.js';

/** Stores the followers that the new definition of a workspace needs. */
export const followersImpact = (followers: readonly AnyFollower[]): Impact => ({
  async settle(tx, { workspaceId, definition }) {
    const wanted = followers.filter((follower) => follower.wants(definition)).map(({ name }) => name);
    await setFollowers(tx, workspaceId, wanted);
  },
});
