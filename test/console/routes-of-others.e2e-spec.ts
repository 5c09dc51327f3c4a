import { type Answer, type Fields, servedTo, signIn } from '../support/console.js';
import { pagesOf } from '../support/routes.js';

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: ines@acme.test }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Name, type: text }
      - { name: Notes, type: longText }
      - { name: Papers, type: file, limit: 3 }
    actions: [{ id: close, name: Close, steps: [{ name: Done, type: move_to_stage, stage: Done }] }]
    roles: [{ id: all, name: All, admin: true }, { id: agent, name: Agent, sees: assigned, actions: [close] }]
    members: [{ email: mina@acme.test, role: all }, { email: ines@acme.test, role: agent }]
relationships:
  - { id: parts, kind: many_to_many, from: { workflow: claims, name: Parts }, to: { workflow: claims, name: Wholes } }
`;

/** What is in everything of Mina's task, and in nothing that Ines may see. */
const hidden = 'verborgen';

describe('where a role sees what is assigned', () => {
  const { service, api, ...people } = servedTo(['ines'], acme);
  let { ines } = people;
  let hers: Readonly<Record<string, string>>;
  let others: Readonly<Record<string, string>>;

  beforeAll(async () => {
    hers = await make('mine', 'ines@acme.test');
    others = await make(hidden, 'mina@acme.test');
    const links = { Parts: [{ ID: 'mine-1' }], Wholes: [{ ID: 'mine-1' }] };
    await api.put('/api/v1/workflows/claims/tasks', { ID: `${hidden}-1`, ...links }).expect(200);
  });

  const base = '/api/v1/workflows/claims';
  const post = async (path: string, body: object): Promise<object> => {
    const answer = await api.post(base + path, body).set('Prefer', 'wait=5');
    expect([path, answer.status < 300 || answer.body]).toEqual([path, true]);
    return Object(answer.body) as object;
  };
  const text = (of: object, name: string): string => String(Reflect.get(of, name));

  /** A task with something of everything, and what names it in the paths of routes. */
  async function make(word: string, email: string): Promise<Record<string, string>> {
    const file = { base64contents: 'eA==', contentType: 'text/plain', filename: `${word}.txt` };
    const values = {
      Name: `${word} name`,
      Notes: `${word} schiffbruch`,
      Papers: [file],
      'Assigned To': email,
    };
    const task = await post('/tasks', { ID: `${word}-1`, ...values });
    const item = await post(`/tasks/${word}-1/checklist_items`, { title: `${word} item`, Stage: 'New' });
    await post(`/tasks/${word}-1/comments`, { body: `${word} comment`, performed_by: email });
    const execution = await post('/executions', { task_id: `${word}-1`, action_id: 'close' });
    await api.put(`${base}/tasks`, { ID: `${word}-1`, Stage: 'New' });
    const [{ blobId: blob }] = Reflect.get(task, 'Papers') as [{ blobId: string }];
    return {
      workflow: 'claims',
      task: text(task, 'Task URL').split('/').at(-1) ?? '',
      item: text(item, 'id'),
      blob,
      execution: text(execution, 'id'),
      field: 'Papers',
      key: text(execution, 'id'),
      relationship: 'Parts',
      text: 'Notes',
      action: 'close',
    };
  }

  /** What all of a route's parameters may be where they name nothing of a task. */
  const anything: Readonly<Record<string, string>> = {
    file: 'x',
    page: 'executions',
    version: '1',
    name: 'x',
    token: 'x',
    view: 'x',
    session: 'x',
    path: 'x',
  };

  function pathOf(route: string, names: Readonly<Record<string, string>>): string {
    return route.replace(/[:*](\w+)/g, (_, name: string) => {
      const value = names[name] ?? anything[name];
      if (value === undefined) throw new Error(`${route}: say in this test what \`${name}\` is of a task`);
      return value;
    });
  }

  /** Something for whatever a form may ask. */
  const form = (id: string): Fields => ({
    task: id,
    id,
    other: id,
    name: 'Name',
    value: 'stolen',
    body: 'stolen',
    title: 'stolen',
    status: 'Completed',
    stage: 'Done',
    version: '1',
    was: 'null',
  });

  const routes = (method: string): string[] =>
    pagesOf(service.app).filter((route) => route.startsWith(`${method} `)).map((route) => route.slice(method.length + 1)); // prettier-ignore

  const allOfOthers = async (): Promise<unknown> => {
    const paths = ['', '/history', '/comments', '/checklist_items'].map(
      (more) => `${base}/tasks/${hidden}-1${more}`,
    );
    return Promise.all(paths.map(async (path) => (await api.get(path)).body as unknown));
  };
  // What pages of many tasks tell is tried with every word and every reader: permissions/untold.
  const expectRefusal = (route: string, { status }: Answer): void => {
    if (/:(task|item|blob)\b/.test(route)) expect([route, status]).toEqual([route, 404]);
    if (route.startsWith('/admin')) expect([route, [403, 404].includes(status)]).toEqual([route, true]);
  };

  it('no page of a task of somebody else is there', async () => {
    for (const route of routes('GET').filter((route) => /:(task|item|blob)\b|^\/admin/.test(route)))
      expectRefusal(route, await ines.get(pathOf(route, others)));
  });

  it('no form changes anything of it, or says anything of it', async () => {
    const before = await allOfOthers();
    for (const route of routes('POST')) {
      const path = pathOf(route, others);
      for (const id of [`${hidden}-1`, 'mine-1']) {
        const answer = await ines.post(path, form(id));
        expect([path, answer.status < 500, answer.text.includes(`${hidden} `)]).toEqual([path, true, false]);
        expectRefusal(route, answer);
      }
      // The ways out lead out.
      if ((await ines.get('/account')).status === 401) ines = await signIn(service, 'ines@acme.test');
    }
    expect(await allOfOthers()).toEqual(before);
  });

  it('what is linked to a task of theirs, and not theirs, is not on its page', async () => {
    const page = await ines.get(pathOf('/workflows/:workflow/tasks/:task', hers));
    expect([page.status, page.text.includes('mine comment'), page.text.includes(hidden)]).toEqual([200, true, false]); // prettier-ignore
  });

  it('the same routes show and change what is theirs', async () => {
    // What is older of the history stands behind a cursor only; she may not delete.
    const apart = /\/(history|delete)$/;
    const shown = routes('GET').filter((route) => /:task/.test(route) && !apart.test(route));
    for (const route of shown) {
      const path = pathOf(route, hers);
      expect([path, (await ines.get(path)).status]).toEqual([path, 200]);
    }
    for (const route of routes('POST').filter((route) => route.includes(':task') && !apart.test(route))) {
      const { status } = await ines.post(pathOf(route, hers), form('mine-1'));
      expect([route, [303, 400, 403, 409, 415, 422].includes(status)]).toEqual([route, true]);
    }
  });
});
