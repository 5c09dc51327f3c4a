import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { poolOf } from '../database/pool.js';
import { Metrics } from './metrics.js';

/** Shows how many connections to PostgreSQL are in use, and how many requests wait for one. */
@Injectable()
export class PoolMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    const connections = (): ReadonlyMap<string, number> => {
      const { totalCount, idleCount } = poolOf(dataSource);
      return new Map([['busy', totalCount - idleCount], ['idle', idleCount]]); // prettier-ignore
    };
    metrics.addGauge('wts_database_connections', 'Connections of the pool.', 'state', connections);
    metrics.addGauge('wts_database_waiting', 'Work that waits for a connection.', undefined, () => poolOf(dataSource).waitingCount); // prettier-ignore
  }
}
