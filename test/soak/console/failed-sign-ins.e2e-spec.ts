import { Redis } from 'ioredis';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { hasRedis, startRedis } from '../../support/redis.js';
import { startService, type TestService } from '../../support/service.js';

const maybe = hasRedis() || process.env['CI'] ? it : it.skip;

describe('sign-ins that fail in several processes', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const started: OtherProcess[] = [];
  afterEach(async () => {
    for (const each of started.splice(0)) await each.stop();
  });
  async function startTwo(environment: Record<string, string> = {}): Promise<OtherProcess[]> {
    for (const _ of [1, 2])
      started.push(await startOtherProcess(service.config.databaseUrl ?? '', { WTS_TRUSTED_PROXIES: '127.0.0.1', ...environment })); // prettier-ignore
    return started;
  }
  async function statusOf(each: OtherProcess, address: string): Promise<number> {
    const headers = { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': address };
    return (await fetch(`${each.url}/sign-in/x`, { method: 'POST', headers, body: new URLSearchParams() }))
      .status;
  }
  /** What 24 posts are answered, by each process in turn. */
  async function statusesInTurn(processes: readonly OtherProcess[], address: string): Promise<number[]> {
    const statuses = [];
    for (let at = 0; at < 12; at += 1)
      for (const each of processes) statuses.push(await statusOf(each, address));
    return statuses;
  }
  const times = (count: number, status: number): number[] => Array<number>(count).fill(status);
  const countRows = async (): Promise<number> => {
    const [row] = await service.dataSource.query<{ count: string }[]>(
      'SELECT count(*) FROM sign_in_failures',
    );
    return Number(row?.count);
  };

  maybe(
    'are counted together by Redis where there is one, and by PostgreSQL when that goes away',
    async () => {
      const redis = await startRedis();
      const processes = await startTwo({ REDIS_URL: redis.url });
      const statuses = await statusesInTurn(processes, '198.51.100.21');
      // PostgreSQL counts what Redis does not answer within 100 ms. Counted apart, each process would take 20.
      for (let at = 0; !statuses.slice(20).includes(429) && statuses.length < 40; at += 1)
        statuses.push(await statusOf(processes[at % 2] as OtherProcess, '198.51.100.21'));
      expect([statuses.slice(0, 20), statuses.slice(20).includes(429)]).toEqual([times(20, 404), true]);
      const client = new Redis(redis.url);
      expect(await client.keys('wts:sign-in:*')).toHaveLength(1);
      client.disconnect();
      const before = await countRows();
      await redis.stop();
      expect(await statusesInTurn(processes, '198.51.100.22')).toEqual([...times(20, 404), ...times(4, 429)]);
      expect(await countRows()).toBe(before + 1);
    },
  );
});
