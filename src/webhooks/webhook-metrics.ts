import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { webhookStates } from './webhook.entity.js';
import { countBy, Metrics, remembered } from '../common/ops/metrics.js';
import { webhookHealth } from './due-webhooks.js';

@Injectable()
export class WebhookMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    const db = dataSource.manager;
    const health = remembered(() => webhookHealth(db));
    const webhooks = (): Promise<Map<string, number>> => countBy(db, countWebhooks, webhookStates);
    metrics.addSharedGauge('wts_webhooks', 'Webhooks by state.', 'state', webhooks);
    metrics.addSharedGauge(
      'wts_webhooks_failing',
      'Active webhooks whose deliveries all fail.',
      undefined,
      async () => (await health()).failing,
    );
    metrics.addSharedGauge(
      'wts_deliveries_behind_seconds',
      'How long the oldest untried delivery has been due, of webhooks that do not fail.',
      undefined,
      async () => (await health()).behind,
    );
  }
}

const countWebhooks = {
  name: 'count-webhooks',
  scope: 'no workspace' as const,
  text: 'SELECT state AS value, count(*)::integer AS count FROM webhooks GROUP BY state',
};
