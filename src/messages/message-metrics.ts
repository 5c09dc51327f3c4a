import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { messageStates } from '../common/column-values.js';
import { countBy, Metrics } from '../common/ops/metrics.js';

@Injectable()
export class MessageMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    metrics.addSharedGauge(
      'wts_messages',
      'Messages that are queued, and those that ended in the last hour.',
      'state',
      () => countBy(dataSource.manager, countMessages, messageStates),
    );
  }
}

const countMessages = {
  name: 'count-messages',
  scope: 'no workspace' as const,
  text: `
    SELECT state AS value, count(*)::integer AS count FROM messages
    WHERE state = 'queued' OR (state <> 'queued' AND finished_at > now() - interval '1 hour') GROUP BY state`,
};
