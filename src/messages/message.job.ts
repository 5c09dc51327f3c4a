import { type JobKind, leasedBy } from '../common/ops/job-kind.js';
import { MessageRunner } from './message-runner.js';
import { type ClaimedMessage, messageJob, type MessageKey, messageLeases } from './messages.repository.js';

export const message: JobKind<MessageKey, ClaimedMessage> = {
  name: messageJob,
  next: `(SELECT service_now(min(next_at)) FROM messages WHERE state = 'queued')`,
  // Mail servers allow few connections.
  places: 8,
  // Hanging channels block places, so one workspace gets at most half of them.
  shares: { ofWorkspace: 4 },
  isOutbound: true,
  ...leasedBy(messageLeases),
  spanOf: ({ id, kind, executionId }) => ({
    name: `message ${kind}`,
    attributes: { 'wts.message': id, 'wts.execution': executionId },
  }),
  run: (parts, claimed, place) => parts.provider(MessageRunner).run(claimed, place),
};
