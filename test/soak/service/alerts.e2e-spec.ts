import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '../../support/free-port.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';

const root = resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Asking {
  readonly expr: string;
}

const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Asking[] }[] };
const { panels } = JSON.parse(read('deploy/grafana/dashboard.json')) as { panels: { targets?: Asking[] }[] };
const asked = [...groups.flatMap(({ rules }) => rules), ...panels.flatMap(({ targets = [] }) => targets)];
/** The metrics in an expression; `promtool` checks its syntax. */
const metricsIn = (expr: string): string[] => expr.match(/\b(?:wts|nodejs|process)_\w+/g) ?? [];

describe('alerts and the dashboard', () => {
  let database: TestDatabase;
  let service: OtherProcess;
  const told = new Set<string>();

  beforeAll(async () => {
    database = await createTestDatabase();
    const port = await freePort();
    const environment = { WTS_PROCESSES: '2', WTS_METRICS_PORT: String(port) };
    service = await startOtherProcess(database.url, environment);
    await fetch(`${service.url}/health/ready`);
    await until(async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      for (const [, metric = ''] of text.matchAll(/^([a-z]\w*)(?:\{.*\})? \S+$/gm)) told.add(metric);
      return asked
        .flatMap(({ expr }) => metricsIn(expr))
        .every((metric) => told.has(metric) || metric === 'wts_redis_up');
      // The test says which are not told.
    }).catch(() => undefined);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('name metrics that the service tells', () => {
    expect(asked.length).toBeGreaterThan(30);
    for (const { expr } of asked)
      expect([
        expr,
        metricsIn(expr).filter((metric) => !told.has(metric) && metric !== 'wts_redis_up'),
      ]).toEqual([expr, []]);
  });

  it('and the guide names every metric of the service', () => {
    const rows = read('docs/guide/production.md').matchAll(/^\| `(wts_\w+)` /gm);
    const metrics = [...told].filter((name) => name.startsWith('wts_'));
    const plain = metrics.map((name) => name.replace(/_seconds_(?:bucket|sum|count)$/, '_seconds'));
    // The queue and Redis are told of where there is a Redis.
    expect(new Set([...rows].map(([, name]) => name))).toEqual(
      new Set([...plain, 'wts_queue_jobs', 'wts_redis_up']),
    );
  });
});
