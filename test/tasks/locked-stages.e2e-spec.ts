import { type FileJson, filesOf, inline, sendForm } from '../support/attachments.js';
import { pageOf, signIn } from '../support/console.js';
import { sendWhileHeld } from '../support/held-tasks.js';
import { startChanges, tasks } from './by-actions.js';

const systems = '/api/v1/workflows/systems/tasks';
const locked = 'may not be changed in Scheduled';
const refusal = (...names: string[]) => ({
  errors: Object.fromEntries(names.map((name) => [name, [locked]])),
});

const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: changes
    name: Changes
    stages:
      - { name: Draft }
      - { name: Scheduled, enter: by_actions, change: [Log, Witnesses] }
      - { name: Closed, enter: by_actions, change: by_actions, end: true }
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Plan, type: text }
      - { name: Log, type: longText }
      - { name: Risk, type: number, change: by_actions }
      - { name: Urgent, type: checkbox }
      - { name: Runbook, type: file }
      - { name: Reason, type: text }
    roles: [{ id: all, name: All, admin: true }]
    members: [{ email: mina@acme.test, role: all }]
    actions:
      - { id: schedule, name: Schedule, steps: [{ name: Move, type: move_to_stage, stage: Scheduled }] }
      - { id: close, name: Close, steps: [{ name: Move, type: move_to_stage, stage: Closed }] }
      - { id: revise, name: Revise, fields: [Reason], steps: [{ name: Plan, type: update_fields, set: { Plan: revised, Risk: 3 } }] }
      - { id: drop, name: Drop, steps: [{ name: Drop, type: delete_task }] }
  - id: systems
    name: Systems
    stages: [{ name: Up }, { name: Frozen, change: [Note, Stage] }]
    fields: [{ name: Name, type: uniqueId, required: true }, { name: Note, type: text }]
relationships:
  - { id: on, kind: many_to_many, from: { workflow: changes, name: Systems }, to: { workflow: systems, name: Changes } }
  - { id: main, kind: one_to_one, from: { workflow: changes, name: Main }, to: { workflow: systems, name: Main of } }
  - { id: seen, kind: many_to_many, from: { workflow: changes, name: Witnesses }, to: { workflow: systems, name: Seen } }
`;

const { service, api, perform, batch, importing, texts } = await startChanges(definition);

describe('a stage with change: which keys payloads may change while the task is in the stage', () => {
  /** A task of this id that stands in Scheduled. */
  async function schedule(ID: string, more: object = {}): Promise<string> {
    await api.post(tasks, { ID, Plan: 'as planned', ...more }).expect(201);
    expect(await perform('schedule', ID)).toBe('Success');
    return `${tasks}/${ID}`;
  }

  it.each([
    { Plan: 'other' },
    { Stage: 'Draft' },
    { 'Assigned To': 'mina@acme.test' },
    { Runbook: [inline('a.txt')] },
  ])('"422 may not be changed in Scheduled": %j, and nothing is written', async (change) => {
    const [name = ''] = Object.keys(change);
    const path = await schedule(`own ${name}`);
    const before = await texts(path);
    for (const send of ['post', 'put'] as const)
      await api[send](tasks, { ID: `own ${name}`, Log: 'lost', ...change }).expect(422, refusal(name));
    expect(await texts(path)).toEqual(before);
  });

  it('keys in the list may be changed, and "unchanged values pass"', async () => {
    const path = await schedule('open', { Urgent: true });
    const read = await api.read<object>(path);
    for (const send of ['post', 'put'] as const)
      await api[send](tasks, { ...read, Log: `by ${send}` }).expect(200);
    expect(await api.read(path)).toEqual({ ...read, Log: 'by put' });
    const row = { ID: 'open', Plan: 'as planned', Log: 'by batch' };
    expect(await batch([row])).toMatchObject([{ status: 'updated' }]);
    await api.post(tasks, { ID: 'open', Log: 'blank', Reason: '' }).expect(200);
  });

  it('all refusals are together, and a field that only actions change says so', async () => {
    await schedule('all');
    const payload = { Plan: 'x', Risk: 2, Urgent: 'maybe', Stage: 'Closed', 'Assigned To': 'mina@acme.test' };
    expect(await api.refusal(tasks, { ID: 'all', ...payload })).toEqual({
      Urgent: ['is neither true nor false'],
      Stage: ['can be entered only by actions'],
      Risk: ['is changed by an action'],
      Plan: [locked],
      'Assigned To': [locked],
    });
  });

  it('"judged by the stage before the write": a task that leaves it in the same payload is refused as well', async () => {
    await api.post(systems, { Name: 'frozen', Stage: 'Frozen', Note: 'creation is no change' }).expect(201);
    const out = { Name: 'frozen', Stage: 'Up', Note: 'x' };
    await api.put(systems, { ...out, 'Assigned To': 'mina@acme.test' }).expect(422);
    await api.put(systems, out).expect(200);
    // What a task is moved to does not bind the payload that moves it there.
    await api.put(systems, { Name: 'frozen', Stage: 'Frozen', 'Assigned To': 'mina@acme.test' }).expect(200);
    await api.put(systems, { Name: 'frozen', 'Assigned To': null }).expect(422);
  });

  it('in a batch, row by row', async () => {
    await schedule('row');
    await api.post(tasks, { ID: 'free' }).expect(201);
    const row = { ID: 'row', Plan: 'x' };
    const refused = { status: 'error', unique_id: 'row', ...refusal('Plan') };
    const rows = [row, { ID: 'free', Plan: 'x' }, { ID: 'row', Log: 'kept' }, { ID: 'new', Plan: 'x' }];
    const written = [{ status: 'updated' }, { status: 'updated' }, { status: 'created' }];
    expect(await batch(rows)).toMatchObject([refused, ...written]);
  });

  it('files and links, by payloads and by paths, added and removed; keys in the list stay open', async () => {
    for (const Name of ['crm', 'erp']) await api.post(systems, { Name }).expect(201);
    const more = { Runbook: [inline('a.txt')], Systems: [{ Name: 'crm' }] };
    const path = await schedule('linked', more);
    const paths = [path, `${systems}/crm`, `${systems}/erp`];
    const before = await texts(...paths);
    const { blobId } = filesOf(await api.get(path), 'Runbook')[0] as FileJson;
    await api.delete(`${path}/attachments/Runbook/${blobId}`).expect(422, refusal('Runbook'));
    const upload = await sendForm(api, `${path}/attachments/Runbook`, { filename: 'b.txt' });
    expect([upload.status, upload.body]).toEqual([422, refusal('Runbook')]);
    for (const write of [
      api.put(tasks, { ID: 'linked', Systems: [] }),
      api.put(tasks, { ID: 'linked', Systems: [{ Name: 'erp' }] }),
      api.put(tasks, { ID: 'linked', Systems: [{ Name: 'crm' }, { Name: 'erp' }] }),
      api.put(`${path}/links/Systems/erp`),
      api.delete(`${path}/links/Systems/crm`),
    ])
      await write.expect(422, refusal('Systems'));
    expect(await texts(...paths)).toEqual(before);
    await api.put(tasks, before[0]).expect(200);
    await api.put(`${path}/links/Witnesses/erp`).expect(204);
    await api.put(tasks, { ID: 'linked', Witnesses: [] }).expect(200);
  });

  it('a link "that the other task\'s lock refuses, or that would be taken from a locked task"', async () => {
    for (const Name of ['hr', 'other']) await api.post(systems, { Name }).expect(201);
    const path = await schedule('C-5', { Systems: [{ Name: 'hr' }], Main: { Name: 'hr' } });
    await api.post(tasks, { ID: 'rival' }).expect(201);
    const paths = [path, `${systems}/hr`, `${tasks}/rival`];
    const far = (name: string) => ({ errors: { [name]: [`C-5: ${locked}`] } });
    const before = await texts(...paths);
    for (const [name, write] of [
      ['Changes', api.put(systems, { Name: 'hr', Changes: [] })],
      ['Changes', api.post(systems, { Name: 'made', Changes: [{ ID: 'C-5' }] })],
      ['Changes', api.delete(`${systems}/hr/links/Changes/C-5`)],
      ['Changes', api.put(`${systems}/other/links/Changes/C-5`)],
      ['Main', api.put(tasks, { ID: 'rival', Main: { Name: 'hr' } })],
      ['Main', api.put(`${tasks}/rival/links/Main/hr`)],
      ['Main of', api.put(systems, { Name: 'hr', 'Main of': { ID: 'rival' } })],
    ] as const)
      await write.expect(422, far(name));
    await api.get(`${systems}/made`).expect(404);
    // The lock of a task holds its links also where the task at the other end is deleted.
    await api.delete(`${systems}/hr`).expect(422, far('base'));
    expect(await texts(...paths)).toEqual(before);
    await api.put(`${systems}/hr/links/Seen/C-5`).expect(204);
  });

  it('"DELETE is 422 on base (delete_task may)", with links and without', async () => {
    await api.post(systems, { Name: 'seen' }).expect(201);
    for (const Witnesses of [[], [{ Name: 'seen' }]]) {
      const path = await schedule('kept', { Witnesses });
      await api.delete(path).expect(422, { errors: { base: ['may not be deleted in Scheduled'] } });
      expect(await perform('drop', 'kept')).toBe('Success');
      await api.get(path).expect(404);
    }
  });

  it('"steps, what an action asks, and wts import --force pass; comments and the checklist stay open"', async () => {
    const path = await schedule('acted');
    expect(await perform('revise', 'acted', { Reason: 'asked' })).toBe('Success');
    expect(await api.read(path)).toMatchObject({ Plan: 'revised', Reason: 'asked' });
    const row = { ID: 'acted', Plan: 'imported' };
    const { out, err } = await importing(row);
    expect(out).toContain('1 rejected');
    expect(err).toContain(`Plan ${locked}`);
    expect((await importing(row, '--force')).out).toContain('1 updated');
    await api.post(`${path}/comments`, { body: 'open' }).expect(201);
    await api.post(`${path}/checklist_items`, { title: 'open', Stage: 'Draft' }).expect(201);
    expect(await perform('close', 'acted')).toBe('Success');
    const closed = { errors: { Log: ['may not be changed in Closed'] } };
    await api.put(tasks, { ID: 'acted', Log: 'x' }).expect(422, closed);
  });

  it('no simultaneous write changes the task after its move into the locked stage', async () => {
    await api.post(tasks, { ID: 'race', Plan: 'first' }).expect(201);
    const move = () => perform('schedule', 'race');
    const write = async () => (await api.put(tasks, { ID: 'race', Plan: 'late' })).status;
    expect(await sendWhileHeld(service.dataSource, 'race', move, write)).toEqual(['Success', 422]);
    expect(await api.read(`${tasks}/race`)).toMatchObject({ Stage: 'Scheduled', Plan: 'first' });
  });

  it('pages show a lock and the reason, offer no edit and no deletion, and are refused', async () => {
    await api.post(systems, { Name: 'paged' }).expect(201);
    const path = await schedule('page', { Systems: [{ Name: 'paged' }] });
    const before = await api.get(path).expect(200);
    const at = pageOf(before);
    const mina = await signIn(service, 'mina@acme.test');
    const { html } = await mina.get(at);
    const links = html.querySelectorAll('.field-edit').map((link) => link.getAttribute('href') ?? '');
    expect(links.map((href) => decodeURIComponent(href.split('edit=')[1] ?? ''))).toEqual(['Log']);
    const reasons = html.querySelectorAll('p.muted.small').map(({ text }) => text.trim());
    expect(reasons.filter((reason) => reason === locked)).toHaveLength(8);
    expect(html.querySelectorAll('p.muted.small .icon').length).toBeGreaterThan(7);
    expect(html.querySelector('details.delete')).toBeNull();
    expect(html.querySelectorAll('form[action*="/links/Systems"]')).toHaveLength(0);
    expect(html.querySelectorAll('form[action*="/links/Witnesses"]')).toHaveLength(1);
    const far = await mina.get(pageOf(await api.get(`${systems}/paged`)));
    expect(far.html.querySelectorAll('form[action$="/links/Changes/remove"]')).toHaveLength(0);
    const edit = { name: 'Plan', value: 'x', version: '0', was: '"as planned"' };
    expect((await mina.post(at, edit)).status).toBe(422);
    expect((await mina.post(`${at}/links/Systems`, { other: 'erp' })).status).toBe(422);
    expect((await mina.sendFile(`${at}/files/Runbook`, 'a.txt', 'a')).status).toBe(422);
    expect(await api.read(path)).toEqual(before.body);
  });

  it.each([
    ['change: [Lag]', 'is neither a field nor a relationship of workflow changes: Lag; did you mean Log?'],
    ['change: never', 'is not by_actions or a list of the keys that stay open'],
  ])('refuses %s in a definition', (change, message) =>
    expect(service.plan(definition.replace('change: [Log, Witnesses]', change))).rejects.toThrow(message),
  );
});
