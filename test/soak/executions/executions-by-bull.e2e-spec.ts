import { Redis } from 'ioredis';
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { patience, until } from '../../support/until.js';

const yaml = `
workspace: { id: acme, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Count, type: number }]
    actions:
      - { id: finish, name: Finish, stages: [New], steps: [{ name: Close, type: move_to_stage, stage: Done }] }
`;
const tasks = '/api/v1/workflows/cases/tasks';
const executions = '/api/v1/workflows/cases/executions';

(hasRedis() || process.env['CI'] ? describe : describe.skip)('executions by Bull', () => {
  let redis: TestRedis;
  let service: TestService;
  let api: Client;
  let control: Redis;

  beforeEach(async () => {
    redis = await startRedis();
    control = new Redis(redis.url, { disconnectTimeout: 100 });
    control.on('error', () => undefined);
    service = await startService({ REDIS_URL: redis.url });
    await service.apply(yaml);
    api = service.client(await service.key('acme'));
  });
  afterEach(async () => {
    control.disconnect();
    await service.stop();
    // Last: Bull waits for a Redis that is gone, and leaves a timer behind.
    await redis.stop();
  });

  /** Begins the action on so many new tasks at once. */
  async function begin(prefix: string, count: number): Promise<void> {
    const ids = Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
    await Promise.all(ids.map((ID) => api.post(tasks, { ID }).expect(201)));
    await Promise.all(
      ids.map((task_id) => api.post(executions, { task_id, action_id: 'finish' }).expect(202)),
    );
  }

  async function allEnd(count: number): Promise<void> {
    for (const deadline = Date.now() + patience; ;) {
      const rows = await service.dataSource.query<{ status: string; count: string }[]>(
        'SELECT status, count(*) FROM executions GROUP BY status',
      );
      if (rows.every(({ status }) => status !== 'Pending')) {
        expect(rows).toEqual([{ status: 'Success', count: String(count) }]);
        break;
      }
      expect(Date.now()).toBeLessThan(deadline);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { body } = await api.get(`${tasks}?Stage=Done&_fields=ID`).expect(200);
    expect(body).toHaveLength(count);
  }

  it('all end, and nothing of them stays in Redis', async () => {
    await begin('a', 200);
    await allEnd(200);
    // Bull removes a job when the executions that it carries have ended.
    await until('few keys', async () => (await control.keys('bull:*')).length < 20);
  });

  it('a Redis that is flushed again and again loses none', async () => {
    const flushing = setInterval(() => void control.flushall().catch(() => undefined), 20);
    await begin('f', 100);
    await allEnd(100);
    clearInterval(flushing);
  });

  it('a Redis that is gone keeps no POST from 202, and none from its end', async () => {
    await begin('before', 5);
    await redis.stop();
    await begin('gone', 50);
    await allEnd(55);
  });
});
