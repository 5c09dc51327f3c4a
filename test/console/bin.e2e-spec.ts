import { signIn, type Browser } from '../support/console.js';
import { type Client, startService, type TestService } from '../support/service.js';

const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: theo@acme.test }, { email: ines@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Name, type: text }
    roles: [{ id: admin, name: Admin, admin: true }, { id: clerk, name: Clerk, deletes: true }]
    members: [{ email: mina@acme.test, role: admin }, { email: theo@acme.test, role: clerk }, { email: ines@acme.test, role: clerk }]
  - id: bills
    name: Bills
    stages: [{ name: Open }]
    fields: [{ name: Bill, type: uniqueId, required: true }]
    roles: [{ id: admin, name: Admin, admin: true }]
    members: [{ email: mina@acme.test, role: admin }]
`;

interface Shown extends Readonly<Record<string, unknown>> {
  readonly 'Task URL': string;
}

describe('"Deleted tasks go to a bin for 30 days (admins restore them under their Unique ID unless it was taken anew)"', () => {
  let service: TestService;
  let api: Client;
  let [mina, theo, ines]: Browser[] = [];
  const tasks = '/api/v1/workflows/vendors/tasks';

  beforeAll(async () => {
    service = await startService();
    await service.apply(definition);
    api = service.client(await service.key('acme'));
    [mina, theo, ines] = await Promise.all(
      ['mina', 'theo', 'ines'].map((name) => signIn(service, `${name}@acme.test`)),
    );
  });
  afterAll(() => service.stop());

  async function create(id: string, more: object = {}): Promise<string> {
    const { body } = await api.post(tasks, { ID: id, Name: `Vendor ${id}`, ...more });
    return new URL((body as Shown)['Task URL']).pathname;
  }

  async function erase(by: Browser | undefined, path: string): Promise<string | undefined> {
    const page = await by?.get(`${path}/delete`);
    const version = page?.html.querySelector('input[name=version]')?.getAttribute('value') ?? '';
    return (await by?.post(`${path}/delete`, { version }))?.headers['location'];
  }

  it('is for administrators, and for who has deleted the task', async () => {
    const path = await create('V-2');
    await erase(theo, path);
    for (const browser of [ines, theo]) expect((await browser?.get('/admin/bin'))?.status).toBe(404);
    expect((await ines?.get(`${path}/deleted`))?.status).toBe(404);
    expect((await ines?.post(`${path}/restore`))?.status).toBe(404);
    const bin = await mina?.get('/admin/bin?workflow=vendors');
    expect(bin?.html.querySelectorAll('.rows .row-title').map(({ text }) => text)).toEqual([
      'V-2 Vendor V-2',
    ]);
    expect(bin?.html.querySelector('.rows form')?.getAttribute('action')).toBe(`${path}/restore`);
    expect((await mina?.get('/admin/bin?workflow=bills'))?.html.querySelector('.empty-title')?.text).toBe(
      'The bin is empty',
    );
    expect((await mina?.post(`${path}/restore`))?.status).toBe(303);
    expect((await mina?.get('/admin/bin'))?.html.querySelectorAll('.rows .row-title')).toEqual([]);
    expect((await mina?.post(`${path}/restore`))?.status).toBe(404);
  });

  it('what the API deletes, one by one or many at once, is there too; a Unique ID that was taken anew is refused', async () => {
    const path = await create('V-3');
    const others = [await create('V-4'), await create('V-5')];
    await api.delete(`${tasks}/V-3`).expect(204);
    await api.delete(`${tasks}?ID=V-4&ID=V-5&_expect=2`).expect(200);
    await create('V-3', { Name: 'Another' });
    const refused = await mina?.post(`${path}/restore`);
    expect([refused?.status, refused?.html.querySelector('#refusal')?.text]).toEqual([
      409,
      'There is a task V-3 again: change its Unique ID or delete it, then restore this one.',
    ]);
    expect((await api.get(`${tasks}/V-3`)).body).toMatchObject({ Name: 'Another' });
    await api.delete(`${tasks}/V-3`).expect(204);
    for (const each of [path, ...others]) expect((await mina?.post(`${each}/restore`))?.status).toBe(303);
    expect((await api.get(`${tasks}/V-3`)).body).toMatchObject({ Name: 'Vendor V-3' });
  });
});
