import { EventChunkEntity } from './event-chunk.entity.js';
import { EventStreamEntity } from './event-stream.entity.js';
import { EventEntity } from './event.entity.js';
import { EventsModule } from './events.module.js';
import { FormerNameEntity } from './former-name.entity.js';
import { eventSweep } from './sweep-events.js';

/** What this folder brings to the service. */
export const eventsFeature = {
  entities: [EventEntity, EventStreamEntity, EventChunkEntity, FormerNameEntity],
  periodic: [eventSweep],
  modules: [EventsModule],
};
