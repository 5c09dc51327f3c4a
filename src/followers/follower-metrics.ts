import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sql } from '../database/sql.js';
import { Metrics } from '../ops/metrics.js';

/** Shows what followers could not follow. */
@Injectable()
export class FollowerMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    const read = async (): Promise<Map<string, number>> => {
      const rows = await sql<{ follower: string; count: number }>(dataSource.manager, countSetAside, []);
      return new Map(rows.map(({ follower, count }) => [follower, count]));
    };
    const help = 'Events that could not be followed and were set aside, by who follows.';
    metrics.addGauge('wts_events_set_aside', help, 'follower', read);
  }
}

const countSetAside = {
  name: 'count-events-set-aside',
  scope: 'no workspace' as const,
  text: 'SELECT follower, count(*)::integer AS count FROM events_set_aside GROUP BY follower',
};
