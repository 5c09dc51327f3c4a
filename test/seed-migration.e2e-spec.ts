import { SeedHelpdesk1795305600000 as SeedHelpdesk } from '../migrations/examples/1795305600000-seed-helpdesk.js';
import { findHistory } from '../src/definitions/history.js';
import { type Client, startService, type TestService } from './support/service.js';

const tasks = '/api/v1/workflows/tickets/tasks';

describe('workflows seeded by a migration', () => {
  let service: TestService;
  const migration = new SeedHelpdesk();

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  async function migrate(direction: 'up' | 'down'): Promise<void> {
    await service.dataSource.transaction((db) => migration[direction](db.queryRunner ?? service.dataSource.createQueryRunner())); // prettier-ignore
  }

  async function client(): Promise<Client> {
    return service.client(await service.key('helpdesk'));
  }

  it('are there after up, gone without a trace after down, and come again', async () => {
    for (const round of [1, 2]) {
      await migrate('up');
      const api = await client();
      await api.get(tasks).expect(200);
      await migrate('down');
      const counts = await service.dataSource.query<{ n: string }[]>(
        `SELECT count(*) AS n FROM workspaces UNION ALL SELECT count(*) FROM fields UNION ALL SELECT count(*) FROM users`,
      );
      expect([round, ...counts.map(({ n }) => n)]).toEqual([round, '0', '0', '0']);
    }
  });

  it('stay when down would lose a task', async () => {
    await migrate('up');
    const [version] = (await findHistory(service.dataSource.manager, 'helpdesk')) ?? [];
    expect(version).toMatchObject({ version: 1, appliedBy: 'SeedHelpdesk1795305600000' });
    const api = await client();
    await api.post(tasks, { Subject: 'Help' }).expect(201);
    await expect(migrate('down')).rejects.toThrow('workflow tickets cannot go: it holds 1 tasks');
    expect((await api.get(`${tasks}/1`).expect(200)).body).toMatchObject({
      Subject: 'Help',
      Priority: 'Low',
    });
    // What was done with a task that is gone is no reason to stay.
    await api.put(tasks, { Number: 1, 'Assigned To': 'agent@helpdesk.test' }).expect(200);
    const start = { task_id: '1', action_id: 'close' };
    await api.post('/api/v1/workflows/tickets/executions', start).set('Prefer', 'wait=20').expect(200);
    await api.delete(`${tasks}/1`).expect(204);
    await migrate('down');
  });
});
