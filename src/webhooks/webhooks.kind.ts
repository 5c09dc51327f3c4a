import { kind } from '../workflows/model/kind.js';
import { listSetting } from '../workflows/model/schema-parts.js';
import { checkWebhook } from './check-webhook.js';
import { WebhookEntity } from '../workflows/model/entities/webhook.entity.js';
import { beginWebhooks, webhookColumns, webhookDefinition } from './webhook-rows.js';
import { webhook } from './webhook-definition.js';

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
    spec: webhookDefinition,
    columns: (one) => ({ managedBy: 'definition', ...webhookColumns(one) }),
  },
  check: checkWebhook,
  /** A new webhook only receives events from now on. */
  async settle(tx, { workspaceId, definition, rows }): Promise<void> {
    const known = new Set(rows.webhooks.map(({ id }) => id));
    const added = webhooks.in(definition).flatMap(({ id }) => (known.has(id) ? [] : id));
    if (added.length > 0) await beginWebhooks(tx, workspaceId, added);
  },
});
