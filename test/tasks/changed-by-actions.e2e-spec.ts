import { blocked } from '../support/blocked.js';
import { holdTasks } from '../support/held-tasks.js';
import { api, batch, close, importing, key, open, perform, service, text } from './by-actions.js';

const changes = '/api/v1/workflows/changes';
const tasks = `${changes}/tasks`;
const votes = '/api/v1/workflows/votes/tasks';
const message = 'is changed by an action';
const refusal = (...names: string[]) => ({
  errors: Object.fromEntries(names.map((name) => [name, [message]])),
});

const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: changes
    name: Changes
    stages: [{ name: New }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Note, type: text }
      - { name: Approved, type: checkbox, change: by_actions }
      - { name: Amount, type: number, change: by_actions, default: 0 }
      - { name: Verdict, type: text, change: by_actions }
      - { name: Regions, type: multipleSelect, options: [EMEA, APAC], change: by_actions }
      - { name: Seen, type: datetime, change: by_actions }
      - { name: Seal, type: file, change: by_actions }
      - { name: Origin, type: text, editable: false }
      - { name: Made by, type: text, editable: false, change: by_actions }
    actions:
      - id: approve
        name: Approve
        steps:
          - name: Fill
            type: update_fields
            set: { Approved: true, Amount: 12.5, Verdict: '{{Note}}', Regions: [APAC], Seen: '2026-01-02T03:04:05Z' }
      - id: vote
        name: Vote
        steps:
          - { name: Vote, type: create_linked_task, relationship: votes, set: { Vote: '{{ID}}-1', Weight: 2, Cast: 'x' } }
      - id: count
        name: Count
        steps: [{ name: Count, type: update_linked_tasks, relationship: votes, set: { Weight: 3 } }]
  - id: votes
    name: Votes
    stages: [{ name: Cast }]
    fields:
      - { name: Vote, type: uniqueId, required: true }
      - { name: Weight, type: number, change: by_actions }
      - { name: Cast, type: text, editable: false, change: by_actions }
relationships:
  - id: votes
    kind: one_to_many
    from: { workflow: changes, name: Votes, change: by_actions }
    to: { workflow: votes, name: Change }
  - { id: free, kind: many_to_many, from: { workflow: changes, name: Seconds }, to: { workflow: votes, name: Seconded } }
`;

describe('a field and a side of a relationship that say change: by_actions', () => {
  beforeAll(() => open(definition));
  afterAll(close);

  const other: readonly (readonly [string, unknown])[] = [
    ['Approved', true],
    ['Regions', ['EMEA']],
    ['Seal', [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'YQ==' }]],
  ];

  it.each(other)(
    '"a payload that changes the value is 422 on it, at creation too": %s',
    async (name, value) => {
      const ID = `changed ${name}`;
      expect((await api.post(tasks, { ID, [name]: value }).expect(422)).body).toEqual(refusal(name));
      await api.post(tasks, { ID, Note: 'kept' }).expect(201);
      const before = await text(`${tasks}/${ID}`);
      for (const send of ['post', 'put'] as const) {
        const { body } = await api[send](tasks, { ID, Note: 'lost', [name]: value }).expect(422);
        expect(body).toEqual(refusal(name));
      }
      expect(await text(`${tasks}/${ID}`)).toBe(before);
    },
  );

  it('"unless it is the default", or nothing where there is none', async () => {
    const blank = { Approved: false, Verdict: null, Regions: [], Seen: null, Seal: [], Votes: [], 'Made by': '' };
    const { body } = await api.post(tasks, { ID: 'default', Amount: 0, ...blank }).expect(201);
    expect(body).toMatchObject({ Approved: false, Amount: '0', Verdict: null });
    const { body: refused } = await api.post(tasks, { ID: 'no default', Amount: null }).expect(422);
    expect(refused).toEqual(refusal('Amount'));
  }); // prettier-ignore

  it('steps change it, and the task can be sent back as it was read', async () => {
    await api.post(tasks, { ID: 'back-1', Note: 'n' }).expect(201);
    expect(await perform('changes', 'approve', 'back-1')).toBe('Success');
    const row = { ID: 'back-1', Verdict: 'x' };
    expect(await batch('changes', [row])).toMatchObject([{ row: 1, status: 'error', ...refusal('Verdict') }]);
    const read = await text(`${tasks}/back-1`);
    expect(JSON.parse(read)).toMatchObject({
      Approved: true,
      Amount: '12.5',
      Verdict: 'n',
      Regions: ['APAC'],
    });
    expect((await api.put(tasks, read).expect(200)).text).toBe(read);
    expect((await api.post(tasks, read).expect(200)).text).toBe(read);
    expect((await api.put(tasks, { ID: 'back-1', Approved: false, Seen: '' }).expect(422)).body).toEqual(
      refusal('Approved', 'Seen'),
    );
  });

  it('a link, from either side, by a payload and by a path; one link more and one link less', async () => {
    await api.post(tasks, { ID: 'links' }).expect(201);
    await api.post(tasks, { ID: 'wants' }).expect(201);
    await api.post(votes, { Vote: 'loose' }).expect(201);
    expect(await perform('changes', 'vote', 'links')).toBe('Success');
    expect(JSON.parse(await text(`${votes}/links-1`))).toMatchObject({
      Weight: '2',
      Cast: 'x',
      Change: { ID: 'links' },
    });
    const before = [await text(`${tasks}/links`), await text(`${tasks}/wants`), await text(`${votes}/links-1`)];
    for (const [payload, path] of [
      [{ ID: 'links', Votes: [] }, tasks],
      [{ ID: 'links', Votes: [{ Vote: 'links-1' }, { Vote: 'loose' }] }, tasks],
      [{ ID: 'wants', Votes: [{ Vote: 'links-1' }] }, tasks],
      [{ ID: 'new', Votes: [{ Vote: 'loose' }] }, tasks],
    ] as const)
      expect((await api.post(path, payload).expect(422)).body).toEqual(refusal('Votes'));
    for (const Change of [null, { ID: 'wants' }])
      expect((await api.put(votes, { Vote: 'links-1', Change }).expect(422)).body).toEqual(refusal('Change'));
    expect((await api.post(votes, { Vote: 'new', Change: { ID: 'wants' } }).expect(422)).body).toEqual(
      refusal('Change'),
    );
    for (const [path, name] of [
      [`${tasks}/wants/links/Votes/loose`, 'Votes'],
      [`${tasks}/wants/links/Votes/links-1`, 'Votes'],
      [`${votes}/loose/links/Change/wants`, 'Change'],
    ] as const)
      expect((await api.put(path).expect(422)).body).toEqual(refusal(name));
    for (const [path, name] of [
      [`${tasks}/links/links/Votes/links-1`, 'Votes'],
      [`${votes}/links-1/links/Change/links`, 'Change'],
    ] as const)
      expect((await api.delete(path).expect(422)).body).toEqual(refusal(name));
    await api.put(`${tasks}/links/links/Votes/links-1`).expect(204);
    await api.put(`${tasks}/links/links/Seconds/loose`).expect(204);
    expect(await perform('changes', 'count', 'links')).toBe('Success');
    expect(JSON.parse(await text(`${votes}/links-1`))).toMatchObject({ Weight: '3' });
    await api.put(votes, await text(`${votes}/links-1`)).expect(200);
    expect((await api.put(tasks, await text(`${tasks}/wants`)).expect(200)).text).toBe(before[1]);
  }); // prettier-ignore

  it('a file, by the path of attachments', async () => {
    await api.post(tasks, { ID: 'sealed' }).expect(201);
    const form = new FormData();
    form.append('file', new Blob(['a'], { type: 'text/plain' }), 'a.txt');
    const answer = await fetch(`${service.url}${tasks}/sealed/attachments/Seal`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: form,
    });
    expect([answer.status, await answer.json()]).toEqual([422, refusal('Seal')]);
  });

  it('beside editable: false, only a step that creates the task sets it', async () => {
    expect((await api.post(tasks, { ID: 'made', 'Made by': 'me' }).expect(422)).body).toEqual(refusal('Made by'));
    await api.post(tasks, { ID: 'made', Origin: 'here' }).expect(201);
    const { body } = await api.put(tasks, { ID: 'made', 'Made by': 'me', Origin: 'there' }).expect(422);
    const fixed = ['cannot be changed after creation'];
    expect(body).toEqual({ errors: { Origin: fixed, 'Made by': fixed } });
  }); // prettier-ignore

  it('nobody writes an old value back while an action changes it', async () => {
    await api.post(tasks, { ID: 'race', Note: 'n' }).expect(201);
    const release = await holdTasks(service.dataSource, 'acme', 'race');
    const old = { ID: 'race', Approved: false, Amount: 0, Verdict: null };
    const write = (Note: number) => api.put(tasks, { ...old, Note }).then(({ status }) => status);
    const early = write(1);
    await blocked(service.dataSource);
    const performed = perform('changes', 'approve', 'race');
    await blocked(service.dataSource, 2);
    const late = write(2);
    await blocked(service.dataSource, 3);
    await release();
    expect([await early, await performed]).toEqual([200, 'Success']);
    expect([200, 422]).toContain(await late);
    expect(JSON.parse(await text(`${tasks}/race`))).toMatchObject({ Approved: true, Amount: '12.5' });
    expect((await api.put(tasks, old)).status).toBe(422);
  });

  it('"imports by --force": without it a row is rejected', async () => {
    await api.post(votes, { Vote: 'imported' }).expect(201);
    const row = { ID: 'imp', Verdict: 'v', 'Made by': 'i', Votes: [{ Vote: 'imported' }] };
    const { out, err } = await importing('changes', row);
    expect(out).toContain('1 rejected');
    expect(err).toContain(`Verdict ${message}; Made by ${message}`);
    expect((await importing('changes', row, '--force')).out).toContain('1 created');
    expect(JSON.parse(await text(`${tasks}/imp`))).toMatchObject({ Verdict: 'v', Votes: [{ Vote: 'imported' }] });
    expect((await importing('changes', row)).out).toContain('1 unchanged');
    expect((await importing('changes', { ...row, Verdict: 'w' }, '--force')).out).toContain('1 updated');
    expect((await importing('changes', { ...row, 'Made by': 'j' }, '--force')).err).toContain('cannot be changed after creation');
  }); // prettier-ignore

  it('shows among the fields, and in the definition', async () => {
    const { body } = await api.get(`${changes}/fields`).expect(200);
    const fields = body as { name: string; change?: string }[];
    const said = fields.filter((field) => 'change' in field).map(({ name, change }) => [name, change]);
    const names = ['Approved', 'Amount', 'Verdict', 'Regions', 'Seen', 'Seal', 'Made by'];
    expect(said).toEqual(names.map((name) => [name, 'by_actions']));
    const { relationships } = (await api.get(changes).expect(200)).body as { relationships: unknown[] };
    expect(relationships[0]).toEqual({
      id: 'votes',
      kind: 'one_to_many',
      from: { workflow: 'changes', name: 'Votes', change: 'by_actions' },
      to: { workflow: 'votes', name: 'Change' },
    });
  }); // prettier-ignore
});
