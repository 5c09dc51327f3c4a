import { type ChannelEntity } from './channel.entity.js';
import { type Outbound } from '../../packages/safe-http/client.js';
import { OutboundFailure } from '../../packages/safe-http/failure.js';
import { retryAfterMs } from '../../packages/safe-http/retry-after.js';
import { withTimeLimit } from '../../packages/fair/time-limit.js';
import { compileTemplate } from '../workflows/expressions/template.js';
import { NoSecret, type Secrets } from '../access/secrets.js';
import { tracedRequest } from '../common/outbound.js';
import { type Message, say } from '../common/message.js';
import { channelTypes } from './channel-types.js';
import { readChannelUrl } from './channels.kind.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type ReadyMessage } from './message-link.js';

export type TriedToSend =
  | { readonly is: 'sent' }
  | {
      readonly is: 'failed';
      readonly cause: Message;
      readonly mayPass: boolean;
      readonly retryAfterMs?: number;
    };

/** How long to wait for an answer in milliseconds, and how many bytes of it to read. */
const ANSWER_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 16_384;

/** If there is no answer, it may be tried again with the same key. */
export async function postToChannel(
  message: ReadyMessage,
  channel: ChannelEntity | null,
  { slug }: Workspace,
  outbound: Outbound,
  secrets: Secrets,
  ending: AbortSignal,
): Promise<TriedToSend> {
  const type = channelTypes.get(channel?.type ?? '');
  if (!channel || !type) return failed(say`there is no channel ${message.recipient} any more`, false);
  try {
    const url = compileTemplate(channel.url).render(({ name }) => secrets.value(slug, name));
    if (readChannelUrl(url) === undefined) return failed('its URL is not allowed', true);
    const { body, uniqueValue, taskUrl } = message;
    const sent = JSON.stringify(type.body(body, { unique_id: uniqueValue, url: taskUrl }));
    return await withTimeLimit(ANSWER_TIMEOUT_MS, [ending], (signal) =>
      post(outbound, url, sent, message, signal),
    );
  } catch (error) {
    ending.throwIfAborted();
    // Tried again later, so that setting the secret or allowing the address sends waiting messages, too.
    if (error instanceof NoSecret) return failed(error.said, true);
    if (error instanceof OutboundFailure) return failed(error.message, true);
    throw error;
  }
}

async function post(
  outbound: Outbound,
  url: string,
  body: string,
  { workspaceId, id }: ReadyMessage,
  signal: AbortSignal,
): Promise<TriedToSend> {
  const answer = await tracedRequest(outbound, url, {
    workspaceId,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id },
    body,
    signal,
    maxBytes: MAX_ANSWER_BYTES,
  });
  answer.body.destroy();
  const { status } = answer;
  if (status >= 200 && status < 300) return { is: 'sent' };
  const mayPass = status === 408 || status === 429 || status >= 500;
  const pauseMs = retryAfterMs(answer.headers.get('retry-after') ?? '');
  return { ...failed(say`was answered with status ${status}`, mayPass), retryAfterMs: pauseMs };
}

function failed(cause: Message, mayPass: boolean) {
  return { is: 'failed', cause, mayPass } as const;
}
