import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServiceWith } from '../support/service.js';

const onboarding = readFileSync(join(import.meta.dirname, '../fixtures/onboarding.yaml'), 'utf8');
const other = `
workspace: { id: other, name: Other Inc }
users:
  - { email: zoe@other.test, first_name: Zoe }
  - { email: gone@other.test, active: false }
workflows:
  - { id: plain, name: Plain, stages: [{ name: Open }] }
  - id: odd
    name: Odd
    stages: [{ name: Open }, { name: Shut, end: true }]
    fields:
      - { name: constructor, type: number, decimals: 2, default: 1.50 }
      - { name: '10', type: uniqueId, autoincrement: true }
`;

const { service } = await startServiceWith([onboarding, other]);
const client = service.client(await service.key('acme', 'read'));
const odd = service.client(await service.key('other', 'read'));

describe('10 reading the definition', () => {
  const get = async (path: string, by = client): Promise<unknown> =>
    (await by.get(`/api/v1${path}`).expect(200).expect('Content-Type', 'application/json; charset=utf-8'))
      .body;

  it('/workflows/{w}/fields [{id,name,type,required,editable,…options}]', async () => {
    const id = expect.any(String) as string;
    expect(await get('/workflows/invoices/fields')).toEqual([
      { id, name: 'Invoice ID', type: 'uniqueId', required: true, editable: true },
      { id, name: 'Amount', type: 'currency', required: true, editable: true, decimals: 2 },
      { id, name: 'Due Date', type: 'date', required: false, editable: true },
    ]);
    expect(await get('/workflows/odd/fields', odd)).toMatchObject([
      { name: 'constructor', decimals: 2, default: '1.50' },
      { name: '10', autoincrement: true },
    ]);
  });

  it('lists all users if no roles are defined, but no deactivated user', async () => {
    const id = expect.any(String) as string;
    expect(await get('/workflows/plain/users', odd)).toEqual([
      { id, email: 'zoe@other.test', first_name: 'Zoe', last_name: null, role_id: null },
    ]);
  });

  it('/workflows/{w}/users/{id}', async () => {
    const users = (await get('/workflows/vendors/users')) as { id: string }[];
    for (const user of users) expect(await get(`/workflows/vendors/users/${user.id}`)).toEqual(user);
    await client.get('/api/v1/workflows/vendors/users/nobody').expect(404);
  });

  it('/workflows/{w} (the whole definition)', async () => {
    expect(await get('/workflows/invoices')).toEqual({
      id: 'invoices',
      name: 'Invoices',
      stages: [
        { name: 'Open', initial: true, end: false, enter: 'freely' },
        { name: 'Paid', initial: false, end: true, enter: 'freely' },
      ],
      fields: await get('/workflows/invoices/fields'),
      checklist: [],
      rules: [],
      clocks: [],
      forms: [],
      schedules: [],
      roles: [],
      members: [],
      actions: [
        {
          id: 'pay',
          name: 'Pay',
          stages: ['Open'],
          requirements: {
            conditions: [{ when: 'task["Amount"] > 0', message: 'Amount must be positive' }],
          },
          steps: [{ name: 'Mark as paid', type: 'move_to_stage', stage: 'Paid' }],
        },
      ],
      relationships: [
        {
          id: 'invoices',
          kind: 'one_to_many',
          from: { workflow: 'vendors', name: 'Invoices' },
          to: { workflow: 'invoices', name: 'Vendor' },
        },
      ],
    });
    expect(await get('/workflows/vendors')).toMatchObject({
      checklist: [{ title: 'Check the company register', stage: 'In Review' }, {}, {}],
      members: [{ email: 'mina@acme.test', role: 'admin' }, {}, {}],
    });
  });

  // That every route knows its ETag, and nothing of another workspace: test/http/every-route.e2e-spec.ts.
  it('has another ETag when the definition changes', async () => {
    const paths = ['/workspace', '/workflows', '/workflows/plain', '/workflows/plain/stages'];
    const tagsOf = async (): Promise<unknown[]> =>
      Promise.all(paths.map(async (path) => (await odd.get(`/api/v1${path}`).expect(200)).headers['etag']));
    const before = await tagsOf();
    await service.apply(
      other
        .replaceAll('Plain', 'Simple')
        .replace('Other Inc', 'Others')
        .replace('[{ name: Open }]', '[{ name: Open }, { name: End }]'),
    );
    for (const [at, tag] of (await tagsOf()).entries()) expect(tag).not.toBe(before[at]);
    expect(await get('/workflows/plain/stages', odd)).toEqual([{ name: 'Open' }, { name: 'End' }]);
  });
});
