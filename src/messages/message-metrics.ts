import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sql } from '../database/sql.js';
import { Metrics } from '../ops/metrics.js';

/** Shows what becomes of messages. */
@Injectable()
export class MessageMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    metrics.addGauge(
      'wts_messages',
      'Messages that are queued, and those that ended in the last hour.',
      'state',
      async () => {
        const rows = await sql<{ state: string; count: number }>(dataSource.manager, countMessages, []);
        return new Map(rows.map(({ state, count }) => [state, count]));
      },
    );
  }
}

const countMessages = {
  name: 'count-messages',
  scope: 'no workspace' as const,
  text: `
    SELECT state, count(*)::integer AS count FROM messages
    WHERE state = 'queued' OR (state <> 'queued' AND finished_at > now() - interval '1 hour') GROUP BY state`,
};
