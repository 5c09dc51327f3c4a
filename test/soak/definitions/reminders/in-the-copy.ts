import { kindCommands } from '../../../../src/cli/kind.commands.js';
import { deleteWorkspace } from '../../../../src/cli/erase-workspace.js';
import { shownKinds } from '../../../../src/workflows/definition/kinds.js';
import { commandNamed, wts } from '../../../support/command-line.js';
import { signIn } from '../../../support/console.js';
import { type Client, startService, type TestService } from '../../../support/service.js';

const definition = (): string => `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Note, type: text }]
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: mina@acme.test, role: lead }]
    actions: [{ id: close, name: Close, start: by_rules, steps: [{ name: Go, type: move_to_stage, stage: Done }] }]
    reminders: [{ id: look, field: Note, every_days: 7, run: close }]
`;
const path = '/api/v1/workflows/tickets/reminders';
const DAY = 86_400_000;

/** What `a-kind-by-one-line.e2e-spec.ts` runs in a copy of the project. */
describe('reminders', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await service.apply(definition());
    api = service.client(await service.key('acme', 'admin'));
  });
  afterAll(() => service.stop());

  interface Shown {
    readonly due_at: string;
    readonly fired: number;
  }
  const read = async (): Promise<Shown> => (await api.get(`${path}/look`).expect(200)).body as Shown;

  it('are checked: an unknown name is a fault at its place', async () => {
    const wrong = service.apply(definition().replace('field: Note', 'field: Nope'));
    await expect(wrong).rejects.toThrow(/reminders\[0\]\.field.*Nope/s);
  });

  it('have routes, operations and a description', async () => {
    const { due_at: before } = await read();
    const { body } = await api.post(`${path}/look/skip`).expect(200);
    expect(Date.parse((body as Shown).due_at) - Date.parse(before)).toBe(7 * DAY);
    expect((await api.get(path).expect(200)).body).toEqual([body]);
    await api.get(`${path}/nope`).expect(404);
    const { paths } = (await (await fetch(`${service.url}/docs/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(paths).filter((each) => each.includes('reminders'))).toHaveLength(3);
  });

  it('have a command', async () => {
    const command = commandNamed('reminder', kindCommands(shownKinds));
    const place = ['--workspace', 'acme', '--workflow', 'tickets'];
    const { out } = await wts(command, ['list', ...place], service.config.databaseUrl ?? '');
    expect(out).toMatch(/^ID +DUE AT +FIRED\nlook /);
  });

  it('have a page', async () => {
    const lead = await signIn(service, 'mina@acme.test');
    const { status, text } = await lead.get('/admin/reminders/tickets/look');
    expect([status, text]).toEqual([200, expect.stringMatching(/fired.*Skip/s)]);
  });

  it('fall due', async () => {
    await service.settle({ after: 15 * DAY });
    expect((await read()).fired).toBe(1);
  });

  it('follow a rename of the field that they name', async () => {
    const renamed = definition()
      .replace('name: Note', 'name: Remark, was: Note')
      .replace('field: Note', 'field: Remark');
    await service.apply(renamed);
    const { body } = await api.get('/api/v1/definition').expect(200);
    expect(JSON.stringify(body)).toMatch(/reminders.*Remark/);
  });

  it('are erased with their workspace', async () => {
    const counts = await deleteWorkspace(service.dataSource.manager, 'acme');
    expect(counts.get('reminder_states')).toBe(1);
  });
});
