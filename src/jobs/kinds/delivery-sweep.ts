import { forgetDeliveries } from '../../webhooks/deliveries.repository.js';
import { type Sweep } from '../job-kind.js';

/** Drops deliveries that ended 30 days ago. */
export const deliverySweep: Sweep = {
  name: 'delivery-sweep',
  pauseMs: () => 60_000,
  async sweep({ db }) {
    while ((await forgetDeliveries(db)) > 0);
  },
};
