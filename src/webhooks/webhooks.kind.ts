import { type WebhookDefinition, webhook } from './webhook-definition.js';
import { tableOf } from '../workflows/model/stored-rows.js';
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
    ...tableOf({
      entity: WebhookEntity,
      where: { managedBy: 'definition' },
      columns: {
        id: 'id',
        url: 'url',
        events: 'events',
        workflows: { in: 'workflows', absent: null },
        when: { in: 'when', absent: null },
        headers: { in: 'headers', absent: {} },
      },
    }),
    columns: (one) => ({ managedBy: 'definition', ...webhookColumns(one) }),
  },
  check: checkWebhook,
  /** Makes new webhooks begin at the present end of the feed. */
  async begin(tx, { workspaceId, definition, stored = {} }): Promise<void> {
    const known = new Set(webhooks.in(stored).map(({ id }) => id));
    const added = webhooks.in(definition).flatMap(({ id }) => (known.has(id) ? [] : id));
    if (added.length > 0) await beginWebhooks(tx, workspaceId, added);
  },
});

const absent = { workflows: null, when: null, headers: {} };

export const webhookColumns = (webhook: WebhookDefinition) => ({ ...absent, ...webhook });
