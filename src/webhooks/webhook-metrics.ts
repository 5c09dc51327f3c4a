import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sql, type Statement } from '../database/sql.js';
import { Metrics } from '../ops/metrics.js';

/** Shows what becomes of webhooks and deliveries. */
@Injectable()
export class WebhookMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    const read = async (statement: Statement): Promise<Map<string, number>> => {
      const rows = await sql<{ state: string; count: number }>(dataSource.manager, statement, []);
      return new Map(rows.map(({ state, count }) => [state, count]));
    };
    metrics.addGauge('wts_webhooks', 'Webhooks by state.', 'state', () => read(countWebhooks));
    metrics.addGauge(
      'wts_webhook_deliveries',
      'Deliveries that are pending, and those that ended in the last hour.',
      'state',
      () => read(countDeliveries),
    );
  }
}

const countWebhooks = {
  name: 'count-webhooks',
  scope: 'no workspace' as const,
  text: 'SELECT state, count(*)::integer AS count FROM webhooks GROUP BY state',
};

const countDeliveries = {
  name: 'count-webhook-deliveries',
  scope: 'no workspace' as const,
  text: `
    SELECT state, count(*)::integer AS count FROM webhook_deliveries
    WHERE state = 'pending' OR (state <> 'pending' AND finished_at > now() - interval '1 hour') GROUP BY state`,
};
