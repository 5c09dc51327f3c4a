import { type VNode } from 'preact';
import { type Webhook } from '../../webhooks/webhook.dto.js';
import { Badge, type Tone } from '../parts/badge.js';
import { Empty } from '../parts/empty.js';
import { Instant } from '../parts/time.js';
import { AdminListPage } from './admin-page.js';
import { type Administrator } from './admin-pages.js';

export const WEBHOOKS_PATH = '/admin/webhooks';

/** The page of a webhook. */
export function webhookPath({ id }: Pick<Webhook, 'id'>): string {
  return `${WEBHOOKS_PATH}/${encodeURIComponent(id)}`;
}

/** Who is told of events. */
export function WebhooksPage({ to, webhooks, removed, live }: WebhooksProps): VNode {
  const { webhooks: title, webhook: words } = to.words.admin;
  return (
    <AdminListPage
      to={to}
      title={title}
      live={live}
      notice={removed === undefined ? undefined : { tone: 'good', lines: [{ text: words.removed(removed) }] }}
      count={webhooks.length}
      button={{ href: `${WEBHOOKS_PATH}?new`, name: words.add }}
      things={webhooks}
      empty={
        <Empty icon="link" title={words.nothing}>
          {words.nothingMore}
        </Empty>
      }
      row={(webhook) => (
        <a class="row webhook-row" href={webhookPath(webhook)}>
          <WebhookBadge to={to} webhook={webhook} />
          <span class="execution-what">
            <span class="row-title">{webhook.id}</span>
            <span class="muted webhook-url">{webhook.url}</span>
          </span>
          <span class="muted">
            {webhook.events.length > 2
              ? `${webhook.events.slice(0, 2).join(', ')}, …`
              : webhook.events.join(', ')}
          </span>
          <span class="row-due">
            {webhook.failing_since !== null && (
              <Instant at={new Date(webhook.failing_since)} to={to} timeZone={to.timeZone} isShort />
            )}
          </span>
        </a>
      )}
    />
  );
}

interface WebhooksProps {
  readonly to: Administrator;
  readonly webhooks: readonly Webhook[];
  /** The id of one that was just removed. */
  readonly removed: string | undefined;
  readonly live: string;
}

const tones: Readonly<Record<string, Tone>> = { active: 'good', failing: 'bad', disabled: 'bad', paused: 'plain' }; // prettier-ignore

/** Whether a webhook is sent anything, and whether that gets through. */
export function WebhookBadge({
  to,
  webhook,
}: {
  readonly to: Administrator;
  readonly webhook: Webhook;
}): VNode {
  const { state, failing_since } = webhook;
  const shown = state === 'active' && failing_since !== null ? 'failing' : state;
  return <Badge tone={tones[shown] ?? 'plain'}>{to.words.admin.webhook.states[shown]}</Badge>;
}
