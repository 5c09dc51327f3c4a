import { type Impact } from '../../workflows/model/impact.js';
import { type AnyFollower } from '../follower.js';
import { setFollowers } from './followers.repository.js';

/** Sets which of these followers follow the events of a workspace with its new definition. */
export const followersImpact = (followers: readonly AnyFollower[]): Impact => ({
  async settle(tx, { workspaceId, definition }) {
    const wanted = followers.filter((follower) => follower.wants(definition)).map(({ name }) => name);
    await setFollowers(tx, workspaceId, wanted);
  },
});
