import { everyType } from '../../support/definitions.js';
import { startOtherProcess } from '../../support/other-process.js';
import { hasRedis, startRedis } from '../../support/redis.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { atOneMoment } from '../../support/stopped-time.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';
const maybe = hasRedis() || process.env['CI'] ? it : it.skip;

describe('11 limits: requests per key and minute', () => {
  const started: TestService[] = [];
  afterEach(async () => {
    for (const service of started.splice(0)) await service.stop();
  });

  async function start(environment: Record<string, string>): Promise<TestService> {
    const service = await startService(environment);
    started.push(service);
    await service.apply(everyType);
    return service;
  }

  async function statuses(api: Client, count: number): Promise<number[]> {
    const answers: number[] = [];
    for (let n = 0; n < count; n += 1) answers.push((await api.get(tasks)).status);
    return answers;
  }

  /** The answers to requests, and the milliseconds of the quickest: the machine may be slow to others. */
  async function timed(api: Client, count: number): Promise<{ answers: number[]; quickest: number }> {
    const answers: number[] = [];
    let quickest = Infinity;
    for (let n = 0; n < count; n += 1) {
      const begun = performance.now();
      answers.push(...(await statuses(api, 1)));
      quickest = Math.min(quickest, performance.now() - begun);
    }
    return { answers, quickest };
  }

  maybe('counts in Redis for all processes, and goes on by itself when that dies', async () => {
    const redis = await startRedis();
    const settings = { WTS_RATE_LIMIT: '20', REDIS_URL: redis.url };
    const one = await start(settings);
    const other = await startOtherProcess(one.config.databaseUrl ?? '', settings);
    try {
      // Each counts alone what Redis does not answer within 0.1 s, and both anew when a minute ends.
      await until('each sees what the other has counted', async () => {
        const key = await one.key('acme');
        const here = await statuses(one.client(key), 10);
        const there: number[] = [];
        for (let n = 0; n < 20; n += 1)
          there.push(
            (await fetch(other.url + tasks, { headers: { Authorization: `Bearer ${key}` } })).status,
          );
        expect(new Set(here)).toEqual(new Set([200]));
        return there.filter((status) => status === 429).length >= 9;
      });
      await redis.stop();
      const fresh = one.client(await one.key('acme'));
      const { answers, quickest } = await atOneMoment(() => timed(fresh, 21));
      expect(answers).toEqual([...Array<number>(20).fill(200), 429]);
      expect(quickest).toBeLessThan(250);
    } finally {
      await other.stop();
    }
  });
});
