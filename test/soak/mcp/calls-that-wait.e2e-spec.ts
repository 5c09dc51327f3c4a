import { connectAgent, startForAgents } from '../../support/agent.js';
import { until } from '../../support/until.js';

describe('calls that wait', () => {
  it('wait side by side: a hundred of them, while others are answered', async () => {
    const service = await startForAgents({ WTS_ROLE: 'api' });
    try {
      const key = await service.key('demo');
      const api = service.client(key);
      const ids = Array.from({ length: 100 }, (_, at) => `V-${at}`);
      for (const id of ids)
        await api.post('/api/v1/workflows/vendors/tasks', { 'Vendor ID': id, 'Vendor Name': id, 'Assigned To': 'mina@demo.test' }).expect(201); // prettier-ignore
      const agent = await connectAgent(service.url, key, '2026-07-28');
      const waits = ids.map((unique_id) =>
        agent.call('perform_action', { workflow: 'vendors', unique_id, action: 'start-review' }),
      );
      await until(async () => {
        const [row] = await service.dataSource.query<{ count: string }[]>('SELECT count(*) FROM executions');
        return row?.count === '100';
      });
      const { structuredContent } = await agent.call('get_task', { workflow: 'vendors', unique_id: 'V-7' });
      expect(structuredContent.values).toMatchObject({ task: { Stage: 'New' } });
      // Together, for a call waits for 25 s at most.
      const begun = await service.dataSource.query<{ id: string }[]>('SELECT id FROM executions');
      await Promise.all(
        begun.map(({ id }) => api.delete(`/api/v1/workflows/vendors/executions/${id}`).expect(204)),
      );
      for (const { isError, structuredContent } of await Promise.all(waits))
        expect([isError, structuredContent]).toMatchObject([
          true,
          { status: 'Fail', values: { errors: ['was cancelled'] }, next: { tool: 'explain_actions' } },
        ]);
      await agent.close();
    } finally {
      await service.stop();
    }
  });
});
