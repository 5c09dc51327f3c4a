import { EventChunkEntity } from './event-chunk.entity.js';
import { EventStreamEntity } from './event-stream.entity.js';
import { EventEntity } from './event.entity.js';
import { EventsModule } from './events.module.js';
import { FormerNameEntity } from './former-name.entity.js';
import { eventSweep } from './sweep-events.js';
import { EventSetAsideEntity } from './followers/event-set-aside.entity.js';
import { FollowerEntity } from './followers/follower.entity.js';
import { oldSetAside } from './followers/followers.repository.js';

export const eventsFeature = {
  entities: [
    EventEntity,
    EventStreamEntity,
    EventChunkEntity,
    FormerNameEntity,
    FollowerEntity,
    EventSetAsideEntity,
  ],
  periodic: [eventSweep],
  leftovers: [oldSetAside],
  modules: [EventsModule],
};
