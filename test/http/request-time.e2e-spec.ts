import { everyType } from '../support/definitions.js';
import { type Client, startServiceWith } from '../support/service.js';
import { testOptions } from '../support/test-options.js';

const tasks = '/api/v1/workflows/things/tasks';

const { service, api } = await startServiceWith(everyType, testOptions({ requestMs: 1000 }));

describe('11 limits: the time of a request', () => {
  it.each<[string, () => ReturnType<Client['get']>]>([
    ['a read', () => api.get(`${tasks}/held`)],
    ['a transaction', () => api.post(tasks, { ID: 'new' }).set('Idempotency-Key', 'k')],
  ])('%s that takes longer is 503 with Retry-After, and does nothing', async (_, send) => {
    await service.dataSource.transaction(async (tx) => {
      await tx.query('LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE');
      const { body, headers } = await send().set('X-Request-Id', 'late-1').expect(503);
      expect(headers['retry-after']).toBe('1');
      expect(body).toEqual({
        type: 'about:blank',
        title: 'Service Unavailable',
        status: 503,
        detail: 'The request took too long.',
        request_id: 'late-1',
      });
    });
    await api.get(`${tasks}/new`).expect(404);
  });
});
