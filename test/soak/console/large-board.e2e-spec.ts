import { type Browser, signIn } from '../../support/console.js';
import { describeOnOnePostgres } from '../../support/on-one-postgres.js';
import { startService, type TestService } from '../../support/service.js';

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Review }, { name: Waiting }, { name: Closed, end: true }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High] }
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: mina@acme.test, role: lead }]
`;

/** Of them 25,000 are in each stage. */
const TASKS = 100_000;

describeOnOnePostgres(`with ${TASKS.toLocaleString('en')} tasks`, () => {
  let service: TestService;
  let mina: Browser;

  beforeAll(async () => {
    // What runs in the background would be counted, too.
    service = await startService({ WTS_ROLE: 'api' });
    await service.apply(acme);
    await fill();
    mina = await signIn(service, 'mina@acme.test');
  });
  afterAll(() => service.stop());

  /** As the service stores them, but for events. */
  async function fill(): Promise<void> {
    await service.dataSource.query('ALTER TABLE tasks DISABLE TRIGGER USER');
    await service.dataSource.query(
      `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
       SELECT w.workspace_id, w.id, 'p' || n, 'C-' || n, s.ids[1 + n % 4], NOT s.ends[1 + n % 4],
         jsonb_build_object((SELECT id FROM fields WHERE name = 'Risk'), CASE WHEN n % 20 < 10 THEN 'Low' ELSE 'High' END)
       FROM workflows w
       CROSS JOIN LATERAL (
         SELECT array_agg(id ORDER BY position) AS ids, array_agg(is_end ORDER BY position) AS ends
         FROM stages WHERE workflow_id = w.id) s
       CROSS JOIN generate_series(1, $1::integer) n`,
      [TASKS],
    );
    await service.dataSource.query('ALTER TABLE tasks ENABLE TRIGGER USER');
    await service.dataSource.query('VACUUM ANALYZE tasks');
  }

  it('a board counts each stage to 10,000, a list to 100,000, and they say that there are more', async () => {
    const counts = async (path: string): Promise<string[]> =>
      (await mina.get(path)).html.querySelectorAll('h1 .count, h2 .count').map(({ text }) => text);
    expect(await counts('/workflows/claims')).toEqual(['40,000+', ...Array.from({ length: 4 }, () => '10,000+')]); // prettier-ignore
    expect(await counts('/workflows/claims?Risk=Low')).toEqual(['40,000+', '10,000+', '10,000+', '10,000', '10,000']); // prettier-ignore
    expect(await counts('/workflows/claims/list')).toEqual(['100,000']);
    const api = service.client(await service.key('acme'));
    expect((await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': 'one more' })).status).toBe(201);
    expect(await counts('/workflows/claims/list')).toEqual(['100,000+']);
  });
});
