import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { countBy, Metrics } from '../../common/ops/metrics.js';
import { secondsBehind } from './followers.repository.js';
import { type BackgroundWork, WORK } from '../../common/ops/job-kind.js';

@Injectable()
export class FollowerMetrics {
  constructor(
    @Inject(WORK) { followers: names }: BackgroundWork,
    metrics: Metrics,
    { manager: db }: DataSource,
  ) {
    const late = 'The age of the oldest event that has not been followed, by follower.';
    metrics.addSharedGauge('wts_follower_behind_seconds', late, 'follower', async () => {
      const behind = new Map(names.map((name) => [name, 0]));
      for (const { name, seconds } of await secondsBehind(db))
        behind.set(name, Math.max(seconds, behind.get(name) ?? 0));
      return behind;
    });
    const help = 'Events that could not be followed and were set aside, by follower.';
    metrics.addSharedGauge('wts_events_set_aside', help, 'follower', () => countBy(db, countSetAside, names));
  }
}

const countSetAside = {
  name: 'count-events-set-aside',
  scope: 'no workspace' as const,
  text: 'SELECT follower AS value, count(*)::integer AS count FROM events_set_aside GROUP BY follower',
};
