import { rename } from 'node:fs/promises';
import { createLogger } from '../../../src/lib/logger.js';
import { everyType } from '../../support/definitions.js';
import { hasRedis, startOwnRedis } from '../../support/redis.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';
const withAction = everyType.replace(
  '  - id: parts\n',
  '    actions: [{ id: wait, name: Wait, steps: [] }]\n  - id: parts\n',
);

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly reason?: string;
}

describe('what the service relies on', () => {
  let service: TestService;
  let api: Client;
  let lines: Line[] = [];

  beforeAll(async () => {
    const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line) as Line) });
    service = await startService({}, logger, { isProxied: true });
    await service.apply(withAction);
    api = service.client(await service.key('acme'));
  });
  beforeEach(() => {
    lines = [];
  });
  afterAll(() => service.stop());

  async function logged(pattern: RegExp, of = lines): Promise<void> {
    await until(`a line like ${pattern}`, () => of.some(({ msg }) => pattern.test(msg)));
  }

  /** What was logged beside answers to requests, without the reasons. */
  const told = (of = lines): string[] =>
    of
      .filter(({ msg }) => msg !== 'request')
      .map(({ level, msg }) => `${level}: ${msg.replace(/ is away: .+$/, ' is away')}`);

  const upload = [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'aGVsbG8=' }];

  it('has one line when PostgreSQL goes and one when it is back, however many requests fail', async () => {
    await service.proxy?.cut();
    await logged(/^PostgreSQL is away: /);
    const failed = await Promise.all(Array.from({ length: 20 }, () => api.post(tasks, { ID: '1' })));
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([503]));
    await service.proxy?.mend();
    await logged(/^PostgreSQL is back$/);
    expect(told()).toEqual(['error: PostgreSQL is away', 'info: PostgreSQL is back']);
    expect(lines.find(({ reason }) => reason)?.reason).toMatch(/ECONNRE|terminated/);
    await api.post(tasks, { ID: '1' }).expect(201);
  });

  it('has one line when the store of attachments goes and one when it is back', async () => {
    const folder = service.config.blobStore ?? '';
    await rename(folder, `${folder}-away`);
    for (const ID of ['f1', 'f2', 'f3']) await api.post(tasks, { ID, Contract: upload }).expect(503);
    await logged(/^the store of attachments is away: /);
    await rename(`${folder}-away`, folder);
    await logged(/^the store of attachments is back$/);
    expect(told()).toEqual([
      'error: the store of attachments is away',
      'info: the store of attachments is back',
    ]);
    await api.post(tasks, { ID: 'f1', Contract: upload }).expect(201);
  });

  // CI fails where there is none; on a machine without Redis there is nothing to say.
  (hasRedis() || process.env['CI'] ? it : it.skip)(
    'has one line when Redis goes and one when it is back',
    async () => {
      const redis = await startOwnRedis();
      const own: Line[] = [];
      const logger = createLogger('info', { write: (line) => void own.push(JSON.parse(line) as Line) });
      const whole = await startService({ REDIS_URL: redis.url }, logger);
      try {
        await whole.apply(withAction);
        const client = whole.client(await whole.key('acme'));
        await client.post(tasks, { ID: '1' }).expect(201);
        await redis.stop();
        await logged(/^Redis is away: connection refused/, own);
        const wait = { task_id: '1', action_id: 'wait' };
        for (let n = 0; n < 5; n += 1)
          await client.post('/api/v1/workflows/things/executions', wait).expect(202);
        const again = await startOwnRedis(redis);
        await logged(/^Redis is back$/, own);
        const changes = told(own).filter((line) => line !== 'info: execution');
        expect(changes).toEqual(['error: Redis is away', 'info: Redis is back']);
        const { host } = new URL(redis.url);
        expect(own.find(({ reason }) => reason)?.reason).toBe(`connection refused at ${host}`);
        await whole.stop();
        await again.stop();
      } catch (error) {
        await whole.stop();
        throw error;
      }
    },
  );
});
