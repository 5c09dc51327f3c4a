import { dropEvents, numberEvents, workspacesOfEvents } from '../../events/events.repository.js';
import { type Sweep } from '../job-kind.js';

/**
 * Drops events that are older than they are to be kept, and gives positions to those that nobody has followed for a
 * while, so that whoever begins to does not wait for all of them to be numbered.
 */
export const eventSweep: Sweep = {
  name: 'event-sweep',
  pauseMs: () => 300_000,
  async sweep({ db, config: { eventDays } }) {
    for (const id of await workspacesOfEvents(db)) {
      await numberEvents(db, id);
      while (eventDays !== undefined && (await dropEvents(db, id, eventDays)) > 0);
    }
  },
};
