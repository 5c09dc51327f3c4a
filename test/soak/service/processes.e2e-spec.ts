import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { request } from 'undici';
import { parse } from 'yaml';
import { createTestDatabase } from '../../support/database.js';
import { freePort } from '../../support/free-port.js';
import { startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';

const database = await createTestDatabase();
const metricsPort = String(await freePort());
const service = await startOtherProcess(database.url, {
  WTS_PROCESSES: '2',
  WTS_METRICS_PORT: metricsPort,
  WTS_DRAIN_MS: '500',
});

interface Query {
  readonly expr: string;
}

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, '../../..', file), 'utf8');

describe('`WTS_PROCESSES`: several processes behind one port', () => {
  afterAll(async () => {
    await service.kill();
    await database.drop();
  });

  /** The processes that have started, in order. */
  const started = (): number[] => processesOf('process started');

  function processesOf(msg: string): number[] {
    const lines = (service.output().match(/^\{.*\}$/gm) ?? []).map(
      (line) => JSON.parse(line) as { readonly pid: number; readonly msg: string },
    );
    return lines.filter((line) => line.msg === msg).map(({ pid }) => pid);
  }

  /** Each request has a connection of its own, which another process may get. */
  const isReady = async (): Promise<boolean> =>
    (await request(`${service.url}/health/ready`, { reset: true })).statusCode === 200;
  const metrics = async (): Promise<string> =>
    (await fetch(`http://localhost:${metricsPort}/metrics`)).text();

  it('starts this number: both answer, one greets, and each log line names its process', async () => {
    await until(() => started().length === 2);
    await until(async () => {
      await isReady();
      return new Set(processesOf('request')).size === 2;
    });
    expect(new Set(processesOf('request'))).toEqual(new Set(started()));
    expect(service.output().match(/is listening on/g)).toHaveLength(1);
  });

  it('restarts a process that dies; the other answers meanwhile, and /metrics has the sum of all', async () => {
    const [victim = 0, other = 0] = started();
    expect(await metrics()).toMatch(/^wts_processes 2$/m);
    process.kill(victim, 'SIGKILL');
    await until(() => processesOf('process ended; starting another one').includes(victim));
    expect(await isReady()).toBe(true);
    await until(() => started().length === 3);
    expect(started()).toContain(other);
    await until(async () => /^wts_processes 2$/m.test(await metrics()));
  });

  it('alerts and the dashboard use existing metrics, and the guide names all', async () => {
    const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Query[] }[] };
    const { panels } = JSON.parse(read('deploy/grafana/dashboard.json')) as {
      panels: { targets?: Query[] }[];
    };
    const queries = [
      ...groups.flatMap(({ rules }) => rules),
      ...panels.flatMap(({ targets = [] }) => targets),
    ];
    // This is told where there is a Redis.
    const told = new Set(['wts_redis_up']);
    const missing = (): string[] =>
      queries
        .flatMap(({ expr }) => expr.match(/\b(?:wts|nodejs|process)_\w+/g) ?? [])
        .filter((name) => !told.has(name));
    await until('all metrics', async () => {
      for (const [, name = ''] of (await metrics()).matchAll(/^([a-z]\w*)(?:\{.*\})? \S+$/gm)) told.add(name);
      return missing().length === 0;
    }).catch(() => undefined);
    expect(missing()).toEqual([]);
    const own = [...told].filter((name) => name.startsWith('wts_'));
    const inGuide = read('docs/guide/production.md').matchAll(/^\| `(wts_\w+)` /gm);
    expect(new Set([...inGuide].map(([, name]) => name))).toEqual(
      new Set(own.map((name) => name.replace(/_seconds_(?:bucket|sum|count)$/, '_seconds'))),
    );
  });

  it('SIGTERM drains all processes, and leaves none behind', async () => {
    const last = started().slice(-2);
    expect(await service.stop()).toBe(0);
    for (const pid of last) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
