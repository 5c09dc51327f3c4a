import { EventSetAsideEntity } from './event-set-aside.entity.js';
import { FollowerEntity } from './follower.entity.js';
import { FollowersModule } from './follower-metrics.js';
import { oldSetAside } from './followers.repository.js';

/** What this folder brings to the service. */
export const followersFeature = {
  entities: [FollowerEntity, EventSetAsideEntity],
  leftovers: [oldSetAside],
  modules: [FollowersModule],
};
