import { en } from './words.js';
import { type VNode } from 'preact';
import { type Webhook } from '../../webhooks/webhook.dto.js';
import { Badge, type Tone } from '../parts/badge.js';
import { Instant } from '../parts/time.js';
import { type AdminRow } from './admin-list.js';

export const WEBHOOKS_PATH = '/admin/webhooks';

/** The page of a webhook. */
export function webhookPath({ id }: Pick<Webhook, 'id'>): string {
  return `${WEBHOOKS_PATH}/${encodeURIComponent(id)}`;
}

/** A webhook in a line. */
export function webhookRow(webhook: Webhook): AdminRow {
  const { id, url, events, failing_since } = webhook;
  return {
    href: webhookPath(webhook),
    state: <WebhookBadge webhook={webhook} />,
    title: id,
    under: <span class="muted">{url}</span>,
    asides: [
      <span class="muted">{[...events.slice(0, 2), ...(events.length > 2 ? ['…'] : [])].join(', ')}</span>,
    ],
    due: failing_since !== null && <Instant at={new Date(failing_since)} isShort />,
  };
}

const tones: Readonly<Record<string, Tone>> = { active: 'good', failing: 'bad', disabled: 'bad', paused: 'plain' }; // prettier-ignore

/** Whether a webhook is sent anything, and whether that gets through. */
export function WebhookBadge({ webhook: { state, failing_since } }: WebhookBadgeProps): VNode {
  const shown = state === 'active' && failing_since !== null ? 'failing' : state;
  return <Badge tone={tones[shown] ?? 'plain'}>{en.admin.webhook.states[shown]}</Badge>;
}

interface WebhookBadgeProps {
  readonly webhook: Webhook;
}
