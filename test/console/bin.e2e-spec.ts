import { forgetTask } from '../../src/events/events.repository.js';
import { download, filesOf } from '../support/attachments.js';
import { signIn, type Browser } from '../support/console.js';
import { type Client, startService, type TestService } from '../support/service.js';

const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: theo@acme.test }, { email: ines@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: Review }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Name, type: text }
      - { name: Amount, type: currency, decimals: 2 }
      - { name: Tags, type: multipleSelect, options: [red, blue] }
      - { name: Papers, type: file }
    checklist: [{ title: Look it up, stage: New }]
    roles: [{ id: admin, name: Admin, admin: true }, { id: clerk, name: Clerk, deletes: true }]
    members: [{ email: mina@acme.test, role: admin }, { email: theo@acme.test, role: clerk }, { email: ines@acme.test, role: clerk }]
  - id: bills
    name: Bills
    stages: [{ name: Open }]
    fields: [{ name: Bill, type: uniqueId, required: true }]
    roles: [{ id: admin, name: Admin, admin: true }]
    members: [{ email: mina@acme.test, role: admin }]
relationships:
  - { id: bills, kind: one_to_many, from: { workflow: vendors, name: Bills }, to: { workflow: bills, name: Vendor } }
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

  it('asks first, says so then, and brings back all that the task was', async () => {
    const path = await create('V-1', { Amount: '12.50', Tags: ['red'], 'Assigned To': 'theo@acme.test' });
    await api.post('/api/v1/workflows/bills/tasks', { Bill: 'B-1', Vendor: { ID: 'V-1' } });
    await theo?.sendFile(`${path}/files/Papers`, 'a.txt', 'hello');
    await theo?.post(path, { name: 'Stage', value: 'Review', was: '"New"', version: 'any' });
    await theo?.post(`${path}/comments`, { body: 'All is well, @ines@acme.test' });
    await theo?.post(`${path}/checklist`, { title: 'Call them' });
    const list = `${tasks}/V-1/checklist_items`;
    const items = (await api.get(list)).body as { id: string; title: string }[];
    for (const { id } of items) await api.put(`${list}/${id}`, { status: 'Completed' });
    const shown = async (): Promise<unknown[]> => {
      const parts = ['', '/comments', '/checklist_items'].map((part) => api.get(`${tasks}/V-1${part}`));
      const [task, comments, checklist] = (await Promise.all(parts)).map(({ body }) => body as object[]);
      return [task, comments, checklist?.map((item) => ({ ...item, id: '' }))];
    };
    const before = await shown();
    const tag = (await api.get(`${tasks}/V-1`)).headers['etag'];

    expect((await theo?.get(path))?.html.querySelector('.delete a')?.getAttribute('href')).toBe(
      `${path}/delete`,
    );
    expect((await theo?.get(`${path}/delete`))?.html.querySelector('dialog[open] h2')?.text).toBe(
      'Delete Vendor V-1?',
    );
    expect(await erase(theo, path)).toBe(`${path}/deleted`);
    expect((await theo?.get(path))?.status).toBe(404);
    const gone = await theo?.get(`${path}/deleted`);
    expect([gone?.status, gone?.html.querySelector('h1')?.text]).toEqual([200, 'V-1 Vendor V-1 is deleted']);

    const back = await theo?.post(`${path}/restore`);
    expect([back?.status, back?.headers['location']]).toEqual([303, path]);
    expect(await shown()).toEqual(before);
    const again = await api.get(`${tasks}/V-1`);
    expect(again.headers['etag']).not.toBe(tag);
    const [file] = filesOf(again, 'Papers');
    expect((await download(api, file?.blobId ?? '')).body.toString()).toBe('hello');
    expect((await api.get('/api/v1/workflows/bills/tasks/B-1')).body).toMatchObject({
      Vendor: { ID: 'V-1' },
    });
    const history = (await api.get(`${tasks}/V-1/history`)).body as { type: string; data: object }[];
    expect(history.slice(0, 2)).toMatchObject([
      { type: 'task.created', data: { via: 'bin', silent: true, actor: { id: 'theo@acme.test' }, changes: { Bills: {}, Amount: { to: '12.50' } } } },
      { type: 'task.deleted' },
    ]); // prettier-ignore
    expect(history.some(({ type }) => type === 'comment.created')).toBe(true);
  });

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

  it('what is forgotten by law leaves the bin, and its files go at once', async () => {
    const path = await create('V-12');
    await mina?.sendFile(`${path}/files/Papers`, 'a.txt', 'personal');
    await erase(mina, path);
    const left = async (): Promise<number> => {
      const rows: { count: string }[] = await service.dataSource.query(
        'SELECT count(*) FROM blobs WHERE unnamed_at > now()',
      );
      return Number(rows[0]?.count);
    };
    const before = await left();
    const rows: { id: number }[] = await service.dataSource.query('SELECT id FROM workspaces');
    await forgetTask(service.dataSource.manager, rows[0]?.id ?? 0, path.split('/').at(-1) ?? '');
    expect([before - (await left()), (await mina?.post(`${path}/restore`))?.status]).toEqual([1, 404]);
  });
});
