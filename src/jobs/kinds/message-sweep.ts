import { forgetMessages } from '../../messages/messages.repository.js';
import { type Sweep } from '../job-kind.js';

/** Drops messages that ended 30 days ago. */
export const messageSweep: Sweep = {
  name: 'message-sweep',
  pauseMs: () => 60_000,
  async sweep({ db }) {
    while ((await forgetMessages(db)) > 0);
  },
};
