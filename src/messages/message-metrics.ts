import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { messageStates } from '../common/column-values.js';
import { addStates, Metrics } from '../common/ops/metrics.js';

@Injectable()
export class MessageMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    const help = 'Messages that are queued, and those that ended in the last hour.';
    addStates(metrics, dataSource, { name: 'wts_messages', help, table: 'messages' }, messageStates);
  }
}
