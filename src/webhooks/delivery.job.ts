import { DeliveryRunner } from './delivery-runner.js';
import {
  type ClaimedReceiver,
  deliveryJob,
  dueReceivers,
  nextReceiver,
  type ReceiverKey,
  receiverLeases,
} from './receivers.repository.js';
import { type JobKind, leasedBy } from '../common/ops/job-kind.js';

/** Delivers the events of webhooks to one receiver at a time, so that its deliveries keep their order. */
export const delivery: JobKind<ReceiverKey, ClaimedReceiver> = {
  name: deliveryJob,
  next: nextReceiver,
  places: 256,
  // Receivers that hang block places, so one workspace gets half of them.
  shares: { ofWorkspace: 128 },
  isOutbound: true,
  ...leasedBy(receiverLeases),
  due: ({ db }) => dueReceivers(db),
  run: (parts, claimed, place) => parts.provider(DeliveryRunner).run(claimed, place),
};
