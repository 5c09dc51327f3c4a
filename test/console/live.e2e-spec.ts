import { type Browser, pageOf, servedTo } from '../support/console.js';

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: ines@acme.test }, { email: theo@acme.test }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Name, type: text }]
    roles: [{ id: all, name: All, admin: true }, { id: agent, name: Agent, sees: assigned }]
    members: [{ email: mina@acme.test, role: all }, { email: ines@acme.test, role: agent }, { email: theo@acme.test, role: all }]
  - id: others
    name: Others
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }]
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: claims, name: Parts }, to: { workflow: others, name: Whole } }
`;

describe('an open page', () => {
  const { service, api, mina, ines, theo } = servedTo(['mina', 'ines', 'theo'], acme);
  const paths = new Map<string, string>();

  beforeAll(async () => {
    for (const [ID, name] of Object.entries({ 'C-1': 'mina', 'C-2': 'ines' })) {
      const values = { ID, 'Assigned To': `${name}@acme.test` };
      paths.set(ID, pageOf(await api.post('/api/v1/workflows/claims/tasks', values)));
    }
  });

  const change = (id: string, values: object): Promise<unknown> =>
    api.send('/api/v1/workflows/claims/tasks', { ID: id, ...values });
  /** Where the page asks for what changes. */
  const liveOf = async (browser: Browser, path: string): Promise<string> =>
    (await browser.get(path)).attributeOf('body', 'data-live-url-value');
  const told = async (browser: Browser, url: string): Promise<unknown> => {
    const { status, text } = await browser.get(url, { 'X-Live': '1' });
    return [status, JSON.parse(text)];
  };
  const ofChange = [200, { changed: true }];
  /** Asks, and says whether anything came of it yet. */
  async function wait(browser: Browser, path: string) {
    const url = await liveOf(browser, path);
    const waiting = { changed: undefined as unknown, answer: Promise.resolve() };
    waiting.answer = told(browser, url).then((answer) => {
      waiting.changed = answer;
    });
    return waiting;
  }

  it('of a task, a workflow, its list or the inbox is told of each change', async () => {
    const pages = [paths.get('C-1') ?? '', '/workflows/claims', '/workflows/claims/list', '/'];
    const waiting = await Promise.all(pages.map((path) => wait(mina, path)));
    await change('C-1', { Name: 'Harbour' });
    await Promise.all(waiting.map(({ answer }) => answer));
    expect(waiting.map(({ changed }) => changed)).toEqual(pages.map(() => ofChange));
  });

  it('is told of what happened between its loading and its first request', async () => {
    const url = await liveOf(mina, '/workflows/claims');
    await change('C-1', { Name: 'Meanwhile' });
    for (const after of [/after=(\d+)/.exec(url)?.[1], 'x', '', '1'])
      expect(await told(mina, url.replace(/after=\d+/, `after=${after}`))).toEqual(ofChange);
  });

  it('is told once of an update of the service', async () => {
    const url = await liveOf(mina, '/workflows/claims');
    expect(url).toMatch(/&version=[\w-]{12}$/);
    expect(await told(mina, url.replace(/.$/, ''))).toEqual(ofChange);
  });

  it('is not told of other tasks and workflows, or of what its reader may not see', async () => {
    const quiet = await Promise.all([
      wait(theo, paths.get('C-2') ?? ''),
      wait(theo, '/workflows/others'),
      wait(ines, '/workflows/claims'),
      wait(ines, '/'),
    ]);
    const told = await wait(mina, '/workflows/claims');
    await change('C-1', { Name: 'Between us' });
    await told.answer;
    // Whoever is told is told at once; an answer of another route shows that theirs would be here.
    await mina.get('/account');
    expect(quiet.map(({ changed }) => changed)).toEqual(quiet.map(() => undefined));
    await change('C-2', { Name: 'Hers' });
    await api.post('/api/v1/workflows/others/tasks', { ID: 'O-1' });
    await Promise.all(quiet.map(({ answer }) => answer));
    expect(quiet.map(({ changed }) => changed)).toEqual(quiet.map(() => ofChange));
  });

  const others = '/api/v1/workflows/others/tasks';
  it.each<[string, () => Browser, string, () => Promise<unknown>]>([
    ['a task that comes to its reader', () => ines, '/', () => change('C-1', { 'Assigned To': 'ines@acme.test' })],
    ['one that goes', () => ines, '/workflows/claims', () => change('C-1', { 'Assigned To': 'mina@acme.test' })],
    ['those that are linked to its task', () => mina, 'C-1', () => api.send(others, { ID: 'O-9', Stage: 'Done' })],
    ['another definition', () => ines, '/', () => service.apply(acme.replace('name: Others', 'name: All others'))],
  ])('is told of %s', async (_, browser, at, happen) => {
    await api.send(others, { ID: 'O-9', Stage: 'New', Whole: { ID: 'C-1' } });
    const page = await wait(browser(), paths.get(at) ?? at);
    await happen();
    await page.answer;
    expect(page.changed).toEqual(ofChange);
  }); // prettier-ignore

  it('is told nothing if its reader sees nothing', async () => {
    const c1 = paths.get('C-1')?.split('/').at(-1) ?? '';
    expect((await ines.get(`/live?workflow=claims&task=${c1}`)).status).toBe(404);
    for (const none of ['none', 'claims&task=%00', 'claims&task=none'])
      expect([none, (await ines.get(`/live?workflow=${none}`)).status]).toEqual([none, 404]);
  });

  it('does not extend its session', async () => {
    await service.settle({ after: 11 * 3_600_000 });
    for (const path of ['/workflows/claims', '/live?after=x'])
      expect([path, (await mina.get(path, { 'X-Live': '1' })).status]).toEqual([path, 200]);
    await service.settle({ after: 2 * 3_600_000 });
    expect((await mina.get('/account')).status).toBe(401);
  });
});
