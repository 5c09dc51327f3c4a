import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '../../support/free-port.js';
import { createTestDatabase } from '../../support/database.js';
import { startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';

const database = await createTestDatabase();
const metricsPort = String(await freePort());
const service = await startOtherProcess(database.url, {
  WTS_PROCESSES: '2',
  WTS_METRICS_PORT: metricsPort,
  WTS_DRAIN_MS: '500',
});

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

describe('`WTS_PROCESSES`: several processes behind one port', () => {
  afterAll(async () => {
    await service.kill();
    await database.drop();
  });

  it('"starts that many": both answer, one greets, and the log says which process a line is of', async () => {
    await until(() => started().length === 2);
    await until(async () => {
      await Promise.all(Array.from({ length: 4 }, () => ask('/health/live')));
      return new Set(lines('request').map(({ pid }) => pid)).size === 2;
    });
    expect(new Set(lines('request').map(({ pid }) => pid))).toEqual(new Set(started()));
    expect(service.output().match(/is listening on/g)).toHaveLength(1);
    expect(lines('started')).toHaveLength(1);
    expect(await ask('/health/ready')).toMatchObject({ status: 200 });
  });

  it('"a worker that dies is started again"; the other answers meanwhile, and /metrics tells the sum of all', async () => {
    const [victim = 0, other = 0] = started();
    expect(await metric(/wts_processes (\d+)/)).toBe(2);
    process.kill(victim, 'SIGKILL');
    await until(() => lines('process ended; starting another one').some(({ pid }) => pid === victim));
    expect(await ask('/health/ready')).toMatchObject({ status: 200 });
    await until(() => started().length === 3);
    expect(started()).toContain(other);
    await until(async () => (await metric(/wts_processes (\d+)/)) === 2);
  });

  describe('alerts and the dashboard', () => {
    const told = new Set<string>();
    /** Redis is told of where there is one. */
    const missing = (expr: string): string[] =>
      metricsIn(expr).filter((metric) => !told.has(metric) && metric !== 'wts_redis_up');

    it('name metrics that the service tells', async () => {
      expect(asked.length).toBeGreaterThan(30);
      await until(async () => {
        const { body } = await answerOf(`http://localhost:${metricsPort}/metrics`);
        for (const [, metric = ''] of body.matchAll(/^([a-z]\w*)(?:\{.*\})? \S+$/gm)) told.add(metric);
        return asked.every(({ expr }) => missing(expr).length === 0);
        // What follows says which are not told.
      }).catch(() => undefined);
      for (const { expr } of asked) expect([expr, missing(expr)]).toEqual([expr, []]);
    });

    it('and the guide names every metric of the service', () => {
      const rows = read('docs/guide/production.md').matchAll(/^\| `(wts_\w+)` /gm);
      const metrics = [...told].filter((name) => name.startsWith('wts_'));
      const plain = metrics.map((name) => name.replace(/_seconds_(?:bucket|sum|count)$/, '_seconds'));
      // The queue and Redis are told of where there is a Redis.
      const all = new Set([...plain, 'wts_queue_jobs', 'wts_redis_up']);
      expect(new Set([...rows].map(([, name]) => name))).toEqual(all);
    });
  });

  it('"SIGTERM drains all", and leaves no process behind', async () => {
    const [one = 0, other = 0] = started().slice(-2);
    expect(await service.stop()).toBe(0);
    for (const pid of [one, other]) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(service.output()).toMatch(/"ms":\d+,"msg":"stopped"\}\n$/);
  });

  /** The processes that answered, in the order in which they began to. */
  const started = (): number[] => lines('process started').map(({ pid }) => pid);

  function lines(msg: string): { readonly pid: number }[] {
    const all = service.output().match(/^\{.*\}$/gm) ?? [];
    return all
      .map((line) => JSON.parse(line) as { readonly pid: number; readonly msg: string })
      .filter((line) => line.msg === msg);
  }

  const ask = (path: string): Promise<Answer> => answerOf(service.url + path);

  async function metric(of: RegExp): Promise<number> {
    const { body } = await answerOf(`http://localhost:${metricsPort}/metrics`);
    return Number(of.exec(body)?.[1]);
  }
});

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** Asks on a connection of its own, which another process may get. */
function answerOf(url: string): Promise<Answer> {
  return new Promise((answered, fail) => {
    const request = get(url, { agent: false }, (response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (text: string) => (body += text))
        .once('end', () => { answered({ status: response.statusCode, body }); })
        .once('error', fail); // prettier-ignore
    });
    request.once('error', fail);
  });
}
