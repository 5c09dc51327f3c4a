import { everyType } from '../../support/definitions.js';
import { describeWith } from '../../support/describe-with.js';
import { startOtherProcess } from '../../support/other-process.js';
import { hasRedis, startRedis } from '../../support/redis.js';
import { startService } from '../../support/service.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';

describeWith(hasRedis(), '11 limits', 'redis-server', () => {
  // Without Redis each process counts alone: test/auth/rate-limit.e2e-spec.ts.
  it('the requests of a key in a minute are counted in Redis, for all processes', async () => {
    const redis = await startRedis();
    const settings = { WTS_RATE_LIMIT: '20', REDIS_URL: redis.url };
    const service = await startService(settings);
    await service.apply(everyType);
    const other = await startOtherProcess(service.config.databaseUrl ?? '', settings);
    // Each counts alone what Redis does not answer within 0.1 s, and both anew when a minute ends.
    await until('each sees what the other has counted', async () => {
      const headers = { Authorization: `Bearer ${await service.key('acme')}` };
      const ask = async (url: string): Promise<number> => (await fetch(url + tasks, { headers })).status;
      for (let n = 0; n < 10; n += 1) expect(await ask(service.url)).toBe(200);
      const there: number[] = [];
      for (let n = 0; n < 20; n += 1) there.push(await ask(other.url));
      return there.filter((status) => status === 429).length >= 9;
    });
    await other.stop();
    await service.stop();
    await redis.stop();
  });
});
