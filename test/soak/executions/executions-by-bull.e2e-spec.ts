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
    fields: [{ name: ID, type: uniqueId, required: true }]
    actions:
      - { id: finish, name: Finish, stages: [New], steps: [{ name: Close, type: move_to_stage, stage: Done }] }
`;
const tasks = '/api/v1/workflows/cases/tasks';
const executions = '/api/v1/workflows/cases/executions';

(hasRedis() || process.env['CI'] ? it : it.skip)(
  'executions by Bull all end, and nothing of them stays in Redis',
  async () => {
    const redis = await startRedis();
    const control = new Redis(redis.url, { disconnectTimeout: 100 });
    const service = await startService({ REDIS_URL: redis.url });
    try {
      await service.apply(yaml);
      const api = service.client(await service.key('acme'));
      const ids = Array.from({ length: 100 }, (_, n) => `a-${n}`);
      await Promise.all(ids.map((ID) => api.post(tasks, { ID }).expect(201)));
      await Promise.all(
        ids.map((task_id) => api.post(executions, { task_id, action_id: 'finish' }).expect(202)),
      );
      const states = 'SELECT status, count(*)::integer FROM executions GROUP BY status';
      await until('all have ended', async () => {
        const rows = await service.dataSource.query<{ status: string; count: number }[]>(states);
        return rows.length === 1 && rows[0]?.status === 'Success' && rows[0].count === ids.length;
      });
      const { body } = await api.get(`${tasks}?Stage=Done&_fields=ID`).expect(200);
      expect(body).toHaveLength(ids.length);
      // Bull removes a job when the executions that it carries have ended.
      await until('few keys', async () => (await control.keys('bull:*')).length < 20);
    } finally {
      control.disconnect();
      await service.stop();
      // Last: Bull waits for a Redis that is gone, and leaves a timer behind.
      await redis.stop();
    }
  },
);
