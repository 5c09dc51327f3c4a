import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Metrics, remembered } from '../common/ops/metrics.js';
import { countExecutions } from './executions.repository.js';

@Injectable()
export class ExecutionMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    const counts = remembered(() => countExecutions(dataSource.manager));
    metrics.addSharedGauge(
      'wts_executions',
      'Executions that are Pending, and those that ended in the last hour.',
      'state',
      async () => {
        const { pending, success, fail } = await counts();
        return new Map([['Pending', pending], ['Success', success], ['Fail', fail]]); // prettier-ignore
      },
    );
    metrics.addSharedGauge(
      'wts_execution_oldest_pending_seconds',
      'The age of the oldest Pending execution.',
      undefined,
      async () => (await counts()).oldest,
    );
  }
}
