import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { serviceTime } from '../database/shared-data-source.js';
import { sql } from '../database/sql.js';
import { Metrics } from '../ops/metrics.js';

/** Shows how long work has been overdue: the value grows while no worker runs. */
@Injectable()
export class DueMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    const read = async (): Promise<Map<string, number>> => {
      const rows = await sql<{ kind: string; at: Date | null }>(dataSource.manager, findOldest, []);
      const now = serviceTime(dataSource.manager).getTime();
      return new Map(rows.map(({ kind, at }) => [kind, at ? Math.max((now - at.getTime()) / 1000, 0) : 0]));
    };
    const help = 'How long the oldest unprocessed rung, firing or timer has been due.';
    metrics.addSharedGauge('wts_due_oldest_seconds', help, 'kind', read);
  }
}

const findOldest = {
  name: 'find-oldest-due',
  scope: 'no workspace' as const,
  text: `
    SELECT 'clock' AS kind, min(next_at) AS at FROM clocks
    UNION ALL SELECT 'schedule', min(next_at) FROM schedule_states WHERE NOT is_paused
    UNION ALL SELECT 'timer', min(at) FROM timers`,
};
