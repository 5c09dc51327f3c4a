import { Outbound } from '../../packages/safe-http/client.js';
import { Secrets } from './secrets.js';
import { MessageRunner } from '../messages/message-runner.js';
import {
  type ClaimedMessage,
  dueMessages,
  messageJob,
  type MessageKey,
  messageLeases,
} from '../messages/messages.repository.js';
import { sourceOf } from '../events/event-names.js';
import { type JobKind, leasedBy } from '../common/ops/job-kind.js';

/** Sends a message that an execution has entered. */
export const message: JobKind<MessageKey, ClaimedMessage> = {
  name: messageJob,
  next: `(SELECT service_now(min(next_at)) FROM messages WHERE state = 'queued')`,
  // Mail servers allow few connections.
  places: 8,
  // Channels that hang keep their places, so one workspace has half of them.
  shares: { ofWorkspace: 4 },
  isOutbound: true,
  ...leasedBy(messageLeases),
  due: ({ db }, limit) => dueMessages(db, limit),
  spanOf: ({ id, kind, executionId, origin }) => ({
    name: `message ${kind}`,
    link: sourceOf(origin).trace,
    attributes: { 'wts.message': id, 'wts.execution': executionId },
  }),
  async run(parts, claimed, place) {
    const secrets = parts.provider(Secrets);
    await parts.provider(MessageRunner).run(claimed, place, {
      outbound: parts.provider(Outbound),
      secretOf: (workspace, name) => secrets.value(workspace, name),
    });
  },
};
