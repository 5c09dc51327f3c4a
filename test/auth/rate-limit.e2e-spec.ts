import { everyType } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

// A Redis that is away is no obstacle: each process counts alone.
const { service } = await startServiceWith(everyType, {
  WTS_RATE_LIMIT: '3',
  REDIS_URL: 'redis://127.0.0.1:1',
});

// With a Redis for several processes: test/soak/auth/11-rate-limit.e2e-spec.ts.
describe('11 limits: requests per key and minute', () => {
  it('is 429 with Retry-After beyond the limit, and each answer says how many requests remain', async () => {
    const api = service.client(await service.key('acme'));
    // Requests are counted by the minute of the clock.
    await service.settle({ at: '2030-01-01T12:00:00Z' });
    const left = [];
    for (let n = 0; n < 3; n += 1)
      left.push((await api.get(tasks).expect(200)).headers['ratelimit-remaining']);
    expect(left).toEqual(['2', '1', '0']);
    const { headers, body } = await api.post(tasks, '{').set('X-Request-Id', 'too-many').expect(429);
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Too Many Requests',
      status: 429,
      detail: 'This key may make 3 requests in a minute.',
      request_id: 'too-many',
    });
    expect([headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual(['3', '0']);
    expect(headers['ratelimit-reset']).toBe(headers['retry-after']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await service.settle({ at: '2030-01-01T12:01:00Z' });
    await api.get(tasks).expect(200);
  });

  it('counts by key only: other keys, clients without a key and /health are not limited', async () => {
    const [one, other] = [
      service.client(await service.key('acme')),
      service.client(await service.key('acme')),
    ];
    await service.settle({ at: '2030-01-01T12:02:00Z' });
    for (let n = 0; n < 3; n += 1) await one.get(tasks).expect(200);
    await one.get(tasks).set('X-Forwarded-For', '9.9.9.9').expect(429);
    await other.get(tasks).expect(200);
    for (let n = 0; n < 4; n += 1) {
      await service.client('wts_nobody').get(tasks).expect(401);
      await service.client('').get('/health/live').expect(200);
    }
  });
});
