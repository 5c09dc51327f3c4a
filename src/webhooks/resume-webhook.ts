import { type EntityManager } from 'typeorm';
import { hastenDeliveries, skipDeliveries } from './deliveries.repository.js';
import { beginWebhooks } from '../workspace/webhook-rows.js';
import { enableWebhook, type Resumption } from './webhooks.repository.js';

/** Makes a webhook active: it goes on where it stopped, or is told of nothing that happened before now. */
export async function resumeWebhook(
  tx: EntityManager,
  workspaceId: number,
  id: string,
  from: Resumption,
): Promise<void> {
  await enableWebhook(tx, workspaceId, id);
  if (from === 'where_it_stopped') return hastenDeliveries(tx, workspaceId, id);
  await beginWebhooks(tx, workspaceId, [id]);
  await skipDeliveries(tx, workspaceId, id);
}
