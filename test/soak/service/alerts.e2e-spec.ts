import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { holdPort } from '../../../src/ops/listen.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { askedBy } from '../../support/promql.js';
import { until } from '../../support/until.js';

const root = resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}
interface Panel {
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const alerts = (parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Alert[] }[] }).groups.flatMap(({ rules }) => rules); // prettier-ignore
const { panels } = JSON.parse(read('deploy/grafana/dashboard.json')) as { panels: Panel[] };
const graphs = panels.filter(({ type }) => type !== 'row');
const targets = graphs.flatMap(({ targets = [] }) => targets);
/** As Grafana fills it in. */
const filledIn = (expr: string): string => expr.replaceAll('$__rate_interval', '5m');
const asked = [...alerts, ...targets].flatMap(({ expr }) => askedBy(filledIn(expr)).metrics);

describe('alerts and the dashboard', () => {
  let database: TestDatabase;
  let service: OtherProcess;
  /** The labels of each series of a running service, by metric. */
  const told = new Map<string, Record<string, string>[]>();

  beforeAll(async () => {
    database = await createTestDatabase();
    const held = await holdPort('127.0.0.1');
    await held.release();
    const environment = { WTS_PROCESSES: '2', WTS_METRICS_PORT: String(held.port) };
    service = await startOtherProcess(database.url, environment);
    await fetch(`${service.url}/health/ready`);
    await until(async () => {
      told.clear();
      const text = await (await fetch(`http://127.0.0.1:${held.port}/metrics`)).text();
      for (const [, metric = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
        const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value]) => [name, value]);
        told.set(metric, [...(told.get(metric) ?? []), Object.fromEntries(pairs) as Record<string, string>]);
      }
      return asked.every((metric) => told.has(metric));
      // The test says which are not told.
    }).catch(() => undefined);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  /** What an expression asks for that no process tells. */
  function unknownIn(expr: string): string[] {
    const { metrics, labels, groupedBy } = askedBy(expr);
    const has = (metric: string, label: string): boolean =>
      told.get(metric)?.some((series) => label in series) === true;
    return [
      ...metrics.filter((metric) => !told.has(metric)),
      ...labels.filter(({ metric, label, value }) => value === undefined
        ? !has(metric, label)
        : !told.get(metric)?.some((series) => series[label] === value)).map(({ metric, label, value }) => `${metric}{${label}="${value}"}`), // prettier-ignore
      // Prometheus itself adds two.
      ...groupedBy.filter((label) => !['job', 'instance'].includes(label) && !metrics.some((metric) => has(metric, label))), // prettier-ignore
    ];
  }

  it('name metrics and labels that the service tells', () => {
    expect(alerts.length).toBeGreaterThan(10);
    for (const { alert, expr } of alerts) expect([alert, unknownIn(expr)]).toEqual([alert, []]);
    expect(targets.length).toBeGreaterThan(20);
    for (const { expr } of targets) expect([expr, unknownIn(filledIn(expr))]).toEqual([expr, []]);
    const wrong = 'max by (kin) (wts_gone) / wts_executions{state="Pendin",at=~".*"}';
    expect(unknownIn(wrong)).toEqual(['wts_gone', 'wts_executions{state="Pendin"}', 'wts_executions{at="undefined"}', 'kin']); // prettier-ignore
  });

  it('and the guide names every metric of the service', () => {
    const named = [...read('docs/guide/production.md').matchAll(/^\| `(wts_\w+)` /gm)].map(
      ([, name]) => name,
    );
    const metrics = [...told.keys()].filter((name) => name.startsWith('wts_'));
    const plain = metrics.map((name) => name.replace(/_seconds_(?:bucket|sum|count)$/, '_seconds'));
    // The queue is told of where there is a Redis, how far a replica is behind where there is one.
    expect(new Set(named)).toEqual(new Set([...plain, 'wts_queue_jobs', 'wts_replica_lag_seconds']));
  });
});
