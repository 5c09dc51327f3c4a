import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { executionStatuses } from '../common/column-values.js';
import { sql } from '../common/database/sql.js';
import { addStates, Metrics, remembered } from '../common/ops/metrics.js';

@Injectable()
export class ExecutionMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    const help = 'Pending executions, and executions that ended in the last hour.';
    const states = { name: 'wts_executions', help, table: 'executions', column: 'status' };
    addStates(metrics, dataSource, states, executionStatuses);
    const oldest = remembered(async () => {
      const [row] = await sql<{ age: number }>(dataSource.manager, ageOfOldest, []);
      return row?.age ?? 0;
    });
    const age = 'The age of the oldest Pending execution.';
    metrics.addSharedGauge('wts_execution_oldest_pending_seconds', age, undefined, oldest);
  }
}

const ageOfOldest = {
  name: 'age-of-oldest-execution',
  scope: 'no workspace' as const,
  text: `
    SELECT COALESCE(EXTRACT(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS age
    FROM executions WHERE finished_at IS NULL`,
};
