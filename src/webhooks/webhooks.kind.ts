import { type WebhookDefinition, webhook } from './webhook-definition.js';
import { kind } from '../workflows/model/kind.js';
import { listSetting } from '../workflows/model/schema-parts.js';
import { checkWebhook } from './check-webhook.js';
import { WebhookEntity } from './webhook.entity.js';
import { beginWebhooks } from './webhooks.repository.js';

export const webhooks = kind({
  name: 'webhook',
  list: 'webhooks',
  of: 'workspace',
  key: ['id'],
  schema: listSetting(webhook, {
    title: 'Webhooks',
    description: 'Other systems that receive events; identified by id.',
    maxItems: 100,
  }),
  rows: {
    entity: WebhookEntity,
    where: { managedBy: 'definition' },
    spec: webhookDefinition,
    columns: (one) => ({ managedBy: 'definition', ...webhookColumns(one) }),
  },
  check: checkWebhook,
  /** A new webhook receives events only from now on. */
  async begin(tx, { workspaceId, definition, stored = {} }): Promise<void> {
    const known = new Set(webhooks.in(stored).map(({ id }) => id));
    const added = webhooks.in(definition).flatMap(({ id }) => (known.has(id) ? [] : id));
    if (added.length > 0) await beginWebhooks(tx, workspaceId, added);
  },
});

/** The definition of a stored webhook, without defaults. */
function webhookDefinition(row: WebhookEntity): WebhookDefinition {
  const { id, url, events, workflows, fields, condition, content, headers } = row;
  return {
    id,
    url,
    events,
    ...(workflows && { workflows }),
    ...(fields && { fields }),
    ...(condition !== null && { when: condition }),
    include: content,
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

type Columns = Pick<
  WebhookEntity,
  'id' | 'url' | 'origin' | 'events' | 'workflows' | 'fields' | 'condition' | 'content' | 'headers'
>;

export function webhookColumns(webhook: WebhookDefinition): Columns {
  const { id, url, events, workflows = null, fields = null, when = null, include, headers = {} } = webhook;
  const { origin } = new URL(url);
  return { id, url, origin, events, workflows, fields, condition: when, content: include, headers };
}
