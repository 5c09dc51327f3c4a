import { DeliveryRunner } from '../../webhooks/delivery-runner.js';
import {
  claimReceiver,
  type ClaimedReceiver,
  deliveryJob,
  dueReceivers,
  type ReceiverKey,
  releaseReceiver,
  renewReceiver,
} from '../../webhooks/receivers.repository.js';
import { type JobKind } from '../job-kind.js';

/** Sends to one receiver what webhooks lead to it, so that its deliveries keep their order. */
export const delivery: JobKind<ReceiverKey, ClaimedReceiver> = {
  name: deliveryJob,
  pauseMs: 200,
  places: 256,
  // Receivers that hang keep their places: one is always left for the next workspace.
  shares: { leavesHalf: true },
  staysInQueue: false,
  // What a receiver was sent cannot be taken back.
  isLeaseStrict: true,
  keyOf: ({ workspaceId, origin }) => `${workspaceId}/${origin}`,
  due: ({ db }) => dueReceivers(db),
  claim: ({ db, config }, receiver) => claimReceiver(db, receiver, config.leaseMs),
  renew: ({ db, config }, claimed) => renewReceiver(db, claimed, config.leaseMs),
  async run(parts, claimed, place) {
    await parts.provider(DeliveryRunner).run(claimed, place);
    return [];
  },
  release: ({ db }, claimed) => releaseReceiver(db, claimed),
};
