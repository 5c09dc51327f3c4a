import { DeliveryRunner } from './delivery-runner.js';
import {
  type ClaimedReceiver,
  deliveryJob,
  dueReceivers,
  type ReceiverKey,
  receiverLeases,
} from './receivers.repository.js';
import { type JobKind, leasedBy } from '../ops/job-kind.js';

/** Delivers the events of webhooks to one receiver, so that its deliveries keep their order. */
export const delivery: JobKind<ReceiverKey, ClaimedReceiver> = {
  name: deliveryJob,
  pauseMs: 150,
  places: 256,
  // Receivers that hang keep their places, so one workspace has half of them.
  shares: { ofWorkspace: 128 },
  staysInQueue: false,
  isOutbound: true,
  // A request that was sent cannot be taken back.
  isLeaseStrict: true,
  ...leasedBy(receiverLeases),
  due: ({ db }) => dueReceivers(db),
  async run(parts, claimed, place) {
    await parts.provider(DeliveryRunner).run(claimed, place);
    return [];
  },
};
