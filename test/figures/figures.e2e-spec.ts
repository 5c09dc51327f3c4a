import { type Client, startService, type TestService } from '../support/service.js';

const acme = `
workspace: { id: acme, name: Acme, timezone: Europe/Vienna }
users:
  - { email: mina@acme.test }
  - { email: ines@acme.test }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Review }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Note, type: text }
    clocks: [{ id: review, starts: { stages: [Review] }, budget: 2 days }]
    roles: [{ id: lead, name: Lead, admin: true }, { id: agent, name: Agent, sees: assigned }]
    members: [{ email: mina@acme.test, role: lead }, { email: ines@acme.test, role: agent }]
calendars:
  - { id: office, timezone: Europe/Vienna, hours: { mon-fri: '09:00-17:00' } }
`;

let service: TestService;
let api: Client;
beforeAll(async () => {
  service = await startService();
  await service.settle({ at: '2026-03-02T08:00:00Z' });
  await service.apply(acme);
  api = service.client(await service.key('acme'));
});
afterAll(() => service.stop());

it('x', async () => {
  const tasks = '/api/v1/workflows/tickets/tasks';
  await api.post(tasks, { ID: '1', Risk: 'High' }).expect(201);
  await api.post(tasks, { ID: '2', Risk: 'Low', 'Assigned To': 'ines@acme.test' }).expect(201);
  await service.settle({ at: '2026-03-04T08:00:00Z' });
  await api.post(tasks, { ID: '1', Stage: 'Review' }).expect(200);
  await service.settle({ at: '2026-03-05T08:00:00Z' });
  await api.post(tasks, { ID: '1', Stage: 'Done' }).expect(200);
  await api.post(tasks, { ID: '2', Stage: 'Review' }).expect(200);
  await service.settle({ at: '2026-03-09T09:00:00Z' });
  for (const name of ['flow', 'throughput', 'cycle_time', 'time_in_stage', 'age', 'workload', 'clocks'])
    for (const q of ['from=2026-03-01', 'from=2026-03-01&group=Risk', 'Risk=High&from=2026-03-01', '_time=working']) {
      const { status, body, text } = await api.get(`/api/v1/workflows/tickets/metrics/${name}?${q}`);
      console.log(name, q, status, text.slice(0, 700), JSON.stringify(body).length);
    }
});
