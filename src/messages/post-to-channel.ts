import { type ChannelEntity } from './channel.entity.js';
import { type Outbound } from '../../packages/safe-http/client.js';
import { compileTemplate } from '../workflows/expressions/template.js';
import { type Secrets } from '../access/secrets.js';
import { TellingError } from '../common/errors.js';
import { type Message, say } from '../common/message.js';
import { channelTypes } from './channel-types.js';
import { readChannelUrl } from './channels.kind.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type ReadyMessage } from './message-link.js';
import { postOnce } from './post-once.js';

export interface TriedToSend {
  /** Why the try failed; null if the message was sent. */
  readonly cause: Message | null;
  /** Whether another try may succeed. */
  readonly mayPass: boolean;
  readonly retryAfterMs?: number;
}

/** Posts a message to its channel. All tries send the same idempotency key. */
export async function postToChannel(
  { recipient, workspaceId, id, body, uniqueValue, taskUrl }: ReadyMessage,
  channel: ChannelEntity | null,
  { slug }: Workspace,
  outbound: Outbound,
  secrets: Secrets,
  ending: AbortSignal,
): Promise<TriedToSend> {
  const type = channelTypes.get(channel?.type ?? '');
  if (!channel || !type) return { cause: say`there is no channel ${recipient} any more`, mayPass: false };
  const { status, ...outcome } = await postOnce(outbound, [ending], () => {
    const url = compileTemplate(channel.url).render(({ name }) => secrets.value(slug, name));
    if (readChannelUrl(url) === undefined) throw new TellingError('its URL is not allowed');
    const sent = JSON.stringify(type.body(body, { unique_id: uniqueValue, url: taskUrl }));
    return { workspaceId, url, headers: { 'idempotency-key': id }, body: sent };
  });
  // A failure without a response is retried: an operator may set the secret or allow the address meanwhile.
  return { ...outcome, mayPass: status === null || status === 408 || status === 429 || status >= 500 };
}
