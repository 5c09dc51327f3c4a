import { type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { type WebhookEntity } from '../workflows/model/entities/webhook.entity.js';
import { type WebhookDefinition } from './webhook-definition.js';

/** The definition of a stored webhook, without defaults. */
export function webhookDefinition(row: WebhookEntity): WebhookDefinition {
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

/** The columns of a checked webhook. */
export function webhookColumns(webhook: WebhookDefinition): Columns {
  const { id, url, events, workflows = null, fields = null, when = null, include, headers = {} } = webhook;
  const { origin } = new URL(url);
  return { id, url, origin, events, workflows, fields, condition: when, content: include, headers };
}

/** Makes new webhooks start now: they do not get events that are in the feed already. */
export async function beginWebhooks(
  db: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<void> {
  await sql(db, begin, [workspaceId, ids]);
}

const begin = {
  name: 'begin-webhooks',
  text: `
    UPDATE webhooks w SET begins_at = service_now(), feed_position = COALESCE(
      (SELECT s.last_position FROM event_streams s WHERE s.workspace_id = w.workspace_id), 0
    )
    WHERE w.workspace_id = $1 AND w.id = ANY($2)`,
};
