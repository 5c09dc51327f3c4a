import { Redis } from 'ioredis';
import { hasRedis, startRedis } from '../../support/redis.js';
import { startService } from '../../support/service.js';
import { until } from '../../support/until.js';

const yaml = `
workspace: { id: acme, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Count, type: number, default: 0 }]
    actions:
      - { id: finish, name: Finish, stages: [New], steps: [{ name: Close, type: move_to_stage, stage: Done }] }
      - { id: count, name: Count, steps: [{ name: Add, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }] }
`;
const tasks = '/api/v1/workflows/cases/tasks';
const executions = '/api/v1/workflows/cases/executions';

const maybe = hasRedis() || process.env['CI'] ? it : it.skip;

maybe('executions by Bull all end, those of one task in order; nothing of them stays in Redis', async () => {
  const redis = await startRedis();
  const control = new Redis(redis.url, { disconnectTimeout: 100 });
  const service = await startService({ REDIS_URL: redis.url });
  try {
    await service.apply(yaml);
    const api = service.client(await service.key('acme'));
    const begin = (task_id: string, action_id: string): PromiseLike<unknown> =>
      api.post(executions, { task_id, action_id }).expect(202);
    const ids = Array.from({ length: 100 }, (_, n) => `a-${n}`);
    await Promise.all(ids.map((ID) => api.post(tasks, { ID }).expect(201)));
    await Promise.all(ids.slice(1).map((id) => begin(id, 'finish')));
    await Promise.all(ids.slice(0, 30).map(() => begin('a-0', 'count')));
    await until('all have ended', async () => {
      const states = await service.dataSource.query<object[]>(
        'SELECT status, count(*)::integer FROM executions GROUP BY status',
      );
      return JSON.stringify(states) === JSON.stringify([{ status: 'Success', count: 129 }]);
    });
    expect((await api.get(`${tasks}?Stage=Done&_fields=ID`).expect(200)).body).toHaveLength(99);
    expect((await api.get(`${tasks}/a-0`).expect(200)).body).toMatchObject({ Count: '30' });
    const inOrder = `SELECT bool_and(after) AS all FROM (
      SELECT started_at >= lag(finished_at) OVER (ORDER BY place) AS after FROM executions WHERE action_id = 'count') e`;
    expect(await service.dataSource.query(inOrder)).toEqual([{ all: true }]);
    // Bull removes a job when the executions that it carries have ended.
    await until('few keys', async () => (await control.keys('bull:*')).length < 20);
  } finally {
    control.disconnect();
    await service.stop();
    // Last: Bull waits for a Redis that is gone, and leaves a timer behind.
    await redis.stop();
  }
});
