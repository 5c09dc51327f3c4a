import { shownEventId } from '../common/origin.js';
import { TellingError } from '../common/errors.js';
import { type WebhookEntity } from './webhook.entity.js';
import { type Secrets } from '../access/secrets.js';
import { compileTemplate } from '../workflows/expressions/template.js';
import { type Outbound } from '../../packages/safe-http/client.js';
import { isSendable } from '../actions/check/headers.js';
import { signatureHeaders } from '../common/webhook-signature.js';
import { say } from '../common/message.js';
import { type PostOutcome, postOnce } from '../messages/post-once.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type DueDelivery } from './deliveries.repository.js';

/** The maximum number of simultaneous requests to one webhook. */
export const MAX_CONCURRENT = 5;

export interface Target extends Readonly<Pick<WebhookEntity, 'id' | 'workspaceId' | 'url'>> {
  /** The id that the definition gives to the workspace. */
  readonly workspace: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets that sign a delivery: two for 24 hours after a rotation, otherwise one. */
  readonly secrets: readonly Buffer[];
}

export interface TryOutcome extends PostOutcome {
  readonly tookMs: number;
}

/** Sends an event once. If a signal aborts the request, throws the signal's reason. */
export async function sendOnce(
  outbound: Outbound,
  secrets: Secrets,
  target: Target,
  message: Sent,
  signals: readonly AbortSignal[],
): Promise<TryOutcome> {
  const begunAt = performance.now();
  const { workspaceId, url } = target;
  const outcome = await postOnce(outbound, signals, () => ({
    workspaceId,
    url,
    headers: headersOf(secrets, target, message),
    body: message.body,
  }));
  return { ...outcome, tookMs: Math.round(performance.now() - begunAt) };
}

interface Sent {
  readonly eventId: string;
  readonly body: string;
}

function headersOf(
  secrets: Secrets,
  { workspace, headers, secrets: keys }: Target,
  { eventId, body }: Sent,
): Record<string, string> {
  const own = Object.entries(headers).map(([name, text]) => {
    const value = compileTemplate(text).render(({ name }) => secrets.value(workspace, name));
    if (!isSendable(value)) throw new TellingError(say`the header ${name} cannot be sent`);
    return [name.toLowerCase(), value] as const;
  });
  const signed = { id: shownEventId(eventId), timestamp: Math.floor(Date.now() / 1000) };
  return {
    ...Object.fromEntries(own),
    ...signatureHeaders(signed, body, keys),
  };
}

/** Returns the body of an event `webhook.test`. */
export function testOf(
  workspace: Workspace,
  webhook: string,
  { eventId, type, createdAt }: DueDelivery,
): string {
  const data = {
    workspace: workspace.slug,
    workflow: null,
    task: null,
    actor: { kind: 'system' },
    execution: null,
    request_id: null,
    webhook: { id: webhook },
  };
  return JSON.stringify({ id: shownEventId(eventId), type, timestamp: createdAt.toISOString(), data });
}
