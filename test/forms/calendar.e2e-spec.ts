import request from 'supertest';
import { signIn } from '../support/console.js';
import { served } from '../support/served.js';

const acme = `
workspace: { id: acme, name: 'Acme; Ltd, "Berlin"' }
users: [{ email: mina@acme.test }, { email: ines@acme.test }, { email: theo@acme.test }]
workflows:
  - id: contracts
    name: Contracts
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Title, type: text }
    roles: [{ id: all, name: All, admin: true }, { id: own, name: Own, sees: assigned }]
    members: [{ email: mina@acme.test, role: all }, { email: ines@acme.test, role: own }]
    clocks: [{ id: answer, starts: { stages: [New] }, budget: 2 days }]
`;
const tasks = '/api/v1/workflows/contracts/tasks';

describe("the calendar of a user's due tasks", () => {
  const { service, api } = served(acme);
  const read = (url: string) => request(service.app.getHttpServer()).get(new URL(url).pathname);
  const make = async (email: string): Promise<string> => {
    const page = await (await signIn(service, email)).post('/account/calendar');
    return page.attributeOf('.shown-once input', 'value');
  };
  /** The lines of a calendar, as they were before they were folded. */
  const linesOf = (text: string): string[] => text.replaceAll('\r\n ', '').split('\r\n');

  beforeAll(async () => {
    await service.settle({ at: '2026-03-02T09:00:00Z' });
    const title = `Lease; floor 3, "north" \\ ${'ü'.repeat(60)}`;
    await api.post(tasks, { ID: 'C-1', Title: title, 'Assigned To': 'ines@acme.test' }).expect(201); // prettier-ignore
    await api.post(tasks, { ID: 'C-2', 'Assigned To': 'mina@acme.test' }).expect(201);
    await api.post(tasks, { ID: 'C-3', 'Assigned To': 'ines@acme.test', Stage: 'Done' }).expect(201); // prettier-ignore
    await service.settle();
  });

  it("holds the user's open tasks at the ends of their clocks", async () => {
    const { headers, text } = await read(await make('ines@acme.test')).expect(200);
    expect(headers['content-type']).toBe('text/calendar; charset=utf-8');
    const lines = linesOf(text);
    expect([lines[0], lines.at(-2), lines.at(-1)]).toEqual(['BEGIN:VCALENDAR', 'END:VCALENDAR', '']);
    // The clock of the test goes on while it works.
    const start = expect.stringMatching(/^DTSTART:20260304T090\d\d\dZ$/) as string;
    expect(lines.filter((line) => line.startsWith('DTSTART'))).toEqual([start]);
    expect(lines.filter((line) => /^DTSTAMP:20260302T090\d\d\dZ$/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('UID:'))).toHaveLength(1);
    expect(lines).toContain(`SUMMARY:Lease\\; floor 3\\, "north" \\\\ ${'ü'.repeat(60)}: due`);
    expect(lines).toContain('X-WR-CALNAME:Acme\\; Ltd\\, "Berlin"');
    expect(Math.max(...text.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    expect(text).not.toMatch(/C-2|C-3/);
  });

  it('keeps the same entries when it is read again, and is read only', async () => {
    const url = await make('ines@acme.test');
    expect((await read(url)).text).toBe((await read(url)).text);
    await request(service.app.getHttpServer()).post(new URL(url).pathname).expect(405);
  });

  it('is not found after its address is replaced or removed, or its user is deactivated', async () => {
    const first = await make('ines@acme.test');
    const second = await make('ines@acme.test');
    await read(first).expect(404);
    await read(second).expect(200);
    await read(`${second}x`).expect(404);
    const stored = JSON.stringify(await service.dataSource.query('SELECT * FROM calendar_feeds'));
    expect(stored).not.toContain(/[^/.]+(?=\.ics)/.exec(second)?.[0]);
    const ines = await signIn(service, 'ines@acme.test');
    expect((await ines.get('/account')).text).not.toContain('.ics');
    await ines.post('/account/calendar/remove');
    await read(second).expect(404);
    const third = await make('ines@acme.test');
    await service.apply(
      acme.replace('{ email: ines@acme.test }', '{ email: ines@acme.test, active: false }'),
    );
    await read(third).expect(404);
    await service.apply(acme);
  });

  it('holds the tasks that are due first, if there are more than it shows', async () => {
    await service.dataSource.query(`
      INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, assignee_id, field_values)
      SELECT workspace_id, workflow_id, 'many' || n, 'M-' || n, stage_id, true, assignee_id, '{}'
      FROM tasks, generate_series(1, 500) n WHERE unique_value = 'C-2'`);
    await service.settle();
    await service.dataSource.query(`UPDATE tasks SET due_at = NULL WHERE unique_value LIKE 'M-%'`);
    await api.post(tasks, { ID: 'C-4', Title: 'Urgent', 'Assigned To': 'mina@acme.test' }).expect(201);
    await service.settle();
    const { text } = await read(await make('mina@acme.test')).expect(200);
    expect(linesOf(text)).toContain('SUMMARY:Urgent: due');
  });

  it('holds nothing of a workflow that the user may not see', async () => {
    // Who holds no role sees nothing, also of what was assigned to them.
    await service.dataSource.query(`UPDATE tasks SET assignee_id = (SELECT id FROM users WHERE email = 'theo@acme.test') WHERE unique_value = 'C-1'`); // prettier-ignore
    const { text } = await read(await make('theo@acme.test')).expect(200);
    expect(text).not.toContain('BEGIN:VEVENT');
  });
});
