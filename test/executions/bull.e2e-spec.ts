import { on } from 'node:events';
import { type Job, type Queue } from 'bull';
import { QUEUE, type QueuedJob } from '../../src/common/jobs/job-queue.js';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.js';
import { startService, type TestService } from '../support/service.js';
import { testOptions } from '../support/test-options.js';

const definition = `
workspace: { id: acme, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }]
    actions: [{ id: finish, name: Finish, steps: [{ name: Close, type: move_to_stage, stage: Done }] }]
`;

// CI must have a Redis.
(hasRedis() || process.env['CI'] ? describe : describe.skip)('an execution by Bull', () => {
  let redis: TestRedis;
  let service: TestService;

  beforeAll(async () => {
    redis = await startRedis();
    service = await startService({ ...testOptions({ background: 'always' }), REDIS_URL: redis.url });
    await service.apply(definition);
  });
  afterAll(async () => {
    await service.stop();
    // Last: Bull waits for a Redis that is gone, and leaves a timer behind.
    await redis.stop();
  });

  it('an execution ends after Redis has brought its job to a worker', async () => {
    const api = service.client(await service.key('acme'));
    const queue = service.app.get<Queue<QueuedJob>>(QUEUE, { strict: false });
    const completed = on(queue, 'completed') as AsyncIterable<[Job<QueuedJob>]>;
    await api.post('/api/v1/workflows/cases/tasks', { ID: 'a' }).expect(201);
    const begun = { task_id: 'a', action_id: 'finish' };
    const path = '/api/v1/workflows/cases/executions';
    const { body } = await api.post(path, begun).set('Prefer', 'wait=25').expect(200);
    const { id, status } = body as { readonly id: string; readonly status: string };
    expect(status).toBe('Success');
    for await (const [{ data }] of completed)
      if (data.kind === 'execution' && Reflect.get(data.job, 'id') === id) break;
    expect(await api.read('/api/v1/workflows/cases/tasks/a')).toMatchObject({ Stage: 'Done' });
  });
});
