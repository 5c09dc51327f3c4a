import Bull from 'bull';
import { hasRedis, startRedis } from '../../support/redis.js';
import { until } from '../../support/until.js';
import { startSetting } from '../../webhooks/webhooks.js';

(hasRedis() || process.env['CI'] ? it : it.skip)(
  'where there is a Redis, workers hear by Bull that there is something to send to a webhook',
  async () => {
    const redis = await startRedis();
    const setting = await startSetting({ REDIS_URL: redis.url });
    const webhook = { id: 'told', url: `${setting.receiver.url}/told`, events: ['task.created'] };
    await setting.api.post('/api/v1/webhooks', webhook).expect(201);
    const queue = new Bull('jobs', redis.url);
    const heard: unknown[] = [];
    await queue.isReady();
    queue.on('global:completed', (id: unknown) => heard.push(id));
    await until('a job', async () => {
      await setting.api.post('/api/v1/webhooks/told/test').expect(202);
      return heard.length > 0;
    });
    await queue.close();
    await setting.stop();
    await redis.stop();
  },
);
