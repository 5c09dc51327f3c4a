import { planDefinition } from '../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { blocked } from '../support/blocked.js';
import { signIn } from '../support/console.js';
import { holdTasks } from '../support/held-tasks.js';
import { api, batch, close, importing, key, open, perform, service, text } from './by-actions.js';

const changes = '/api/v1/workflows/changes';
const tasks = `${changes}/tasks`;
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

describe('a stage that says change: what payloads may change while the task stands there', () => {
  beforeAll(() => open(definition));
  afterAll(close);

  async function upload(ID: string): Promise<[number, unknown]> {
    const form = new FormData();
    form.append('file', new Blob(['a'], { type: 'text/plain' }), 'a.txt');
    const headers = { Authorization: `Bearer ${key}` };
    const at = `${service.url}${tasks}/${ID}/attachments/Runbook`;
    const answer = await fetch(at, { method: 'POST', headers, body: form });
    return [answer.status, await answer.json()];
  }

  async function scheduled(ID: string, more: object = {}): Promise<string> {
    await api.post(tasks, { ID, Plan: 'as planned', ...more }).expect(201);
    expect(await perform('changes', 'schedule', ID)).toBe('Success');
    return text(`${tasks}/${ID}`);
  }

  const others: readonly (readonly [string, unknown])[] = [
    ['Plan', 'other'],
    ['Stage', 'Draft'],
    ['Assigned To', 'mina@acme.test'],
    ['Runbook', [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'YQ==' }]],
  ];

  it.each(others)('"422 may not be changed in Scheduled": %s to %j, and nothing is written', async (name, value) => {
    const ID = `own ${name} ${String(value === null)}`;
    const before = await scheduled(ID);
    for (const send of ['post', 'put'] as const)
      expect((await api[send](tasks, { ID, Log: 'lost', [name]: value }).expect(422)).body).toEqual(refusal(name));
    expect(await text(`${tasks}/${ID}`)).toBe(before);
  }); // prettier-ignore

  it('keys in the list may be changed, and "unchanged values pass"', async () => {
    const read = JSON.parse(await scheduled('open', { Urgent: true })) as object;
    for (const send of ['post', 'put'] as const)
      await api[send](tasks, { ...read, Log: `by ${send}` }).expect(200);
    expect(JSON.parse(await text(`${tasks}/open`))).toEqual({ ...read, Log: 'by put' });
    expect(await batch('changes', [{ ID: 'open', Plan: 'as planned', Log: 'by batch' }])).toEqual([
      { row: 1, status: 'updated', unique_id: 'open' },
    ]);
    await api.post(tasks, { ID: 'open', Log: 'blank', Reason: '' }).expect(200);
  });

  it('all refusals stand together, and a field that only actions change says so', async () => {
    await scheduled('all');
    const payload = { ID: 'all', Plan: 'x', Risk: 2, Urgent: 'maybe', Stage: 'Closed', 'Assigned To': 'mina@acme.test' };
    expect((await api.put(tasks, payload).expect(422)).body).toEqual({
      errors: {
        Urgent: ['is not a boolean'],
        Stage: ['can be entered only by actions'],
        Risk: ['is changed by an action'],
        Plan: [locked],
        'Assigned To': [locked],
      },
    });
  }); // prettier-ignore

  it('"judged by the stage before the write": a task that leaves it in the same payload is refused as well', async () => {
    await api.post(systems, { Name: 'frozen', Stage: 'Frozen', Note: 'creation is no change' }).expect(201);
    const out = { Name: 'frozen', Stage: 'Up', Note: 'x' };
    await api.put(systems, { ...out, 'Assigned To': 'mina@acme.test' }).expect(422);
    await api.put(systems, out).expect(200);
    // What a task is moved to does not bind the payload that moves it there.
    await api.put(systems, { Name: 'frozen', Stage: 'Frozen', 'Assigned To': 'mina@acme.test' }).expect(200);
    await api.put(systems, { Name: 'frozen', 'Assigned To': null }).expect(422);
  });

  it('in a batch, row by row and all or nothing', async () => {
    await scheduled('row');
    await api.post(tasks, { ID: 'free' }).expect(201);
    const rows = [
      { ID: 'row', Plan: 'x' },
      { ID: 'free', Plan: 'x' },
      { ID: 'row', Log: 'kept' },
      { ID: 'new', Plan: 'x' },
    ];
    expect(await batch('changes', rows)).toEqual([
      { row: 1, status: 'error', unique_id: 'row', ...refusal('Plan') },
      { row: 2, status: 'updated', unique_id: 'free' },
      { row: 3, status: 'updated', unique_id: 'row' },
      { row: 4, status: 'created', unique_id: 'new' },
    ]);
    expect(await batch('changes', [{ ID: 'free', Plan: 'y' }, { ID: 'row', Plan: 'x' }], '?_atomic=true')).toEqual([
      { row: 2, status: 'error', unique_id: 'row', ...refusal('Plan') },
    ]);
    expect(JSON.parse(await text(`${tasks}/free`))).toMatchObject({ Plan: 'x' });
  }); // prettier-ignore

  it('a file, by the path of attachments: added and removed', async () => {
    await api.post(tasks, { ID: 'filed' }).expect(201);
    expect((await upload('filed'))[0]).toBe(201);
    expect(await perform('changes', 'schedule', 'filed')).toBe('Success');
    const before = await text(`${tasks}/filed`);
    expect(await upload('filed')).toEqual([422, refusal('Runbook')]);
    const [{ blobId } = { blobId: '' }] = (JSON.parse(before) as { Runbook: { blobId: string }[] }).Runbook;
    const { body } = await api.delete(`${tasks}/filed/attachments/Runbook/${blobId}`).expect(422);
    expect(body).toEqual(refusal('Runbook'));
    expect(await text(`${tasks}/filed`)).toBe(before);
  });

  it('links, by payloads and by paths, one more and one less; keys in the list stay open', async () => {
    await api.post(systems, { Name: 'crm' }).expect(201);
    await api.post(systems, { Name: 'erp' }).expect(201);
    await scheduled('linked', { Systems: [{ Name: 'crm' }] });
    const before = [await text(`${tasks}/linked`), await text(`${systems}/crm`), await text(`${systems}/erp`)];
    for (const Systems of [[], [{ Name: 'erp' }], [{ Name: 'crm' }, { Name: 'erp' }]])
      expect((await api.put(tasks, { ID: 'linked', Systems }).expect(422)).body).toEqual(refusal('Systems'));
    expect((await api.put(`${tasks}/linked/links/Systems/erp`).expect(422)).body).toEqual(refusal('Systems'));
    expect((await api.delete(`${tasks}/linked/links/Systems/crm`).expect(422)).body).toEqual(refusal('Systems'));
    expect([await text(`${tasks}/linked`), await text(`${systems}/crm`), await text(`${systems}/erp`)]).toEqual(before);
    await api.put(tasks, before[0]).expect(200);
    await api.put(`${tasks}/linked/links/Witnesses/erp`).expect(204);
    await api.put(tasks, { ID: 'linked', Witnesses: [] }).expect(200);
  }); // prettier-ignore

  it('"a link that the other task\'s lock refuses, or that would be taken from a locked task"', async () => {
    await api.post(systems, { Name: 'hr' }).expect(201);
    await scheduled('C-5', { Systems: [{ Name: 'hr' }], Main: { Name: 'hr' } });
    await api.post(tasks, { ID: 'rival' }).expect(201);
    const far = (name: string) => ({ errors: { [name]: [`C-5: ${locked}`] } });
    const before = [await text(`${tasks}/C-5`), await text(`${systems}/hr`), await text(`${tasks}/rival`)];
    expect((await api.put(systems, { Name: 'hr', Changes: [] }).expect(422)).body).toEqual(far('Changes'));
    expect((await api.post(systems, { Name: 'made', Changes: [{ ID: 'C-5' }] }).expect(422)).body).toEqual(far('Changes'));
    await api.get(`${systems}/made`).expect(404);
    expect((await api.delete(`${systems}/hr/links/Changes/C-5`).expect(422)).body).toEqual(far('Changes'));
    expect((await api.put(`${systems}/crm/links/Changes/C-5`).expect(422)).body).toEqual(far('Changes'));
    expect((await api.put(tasks, { ID: 'rival', Main: { Name: 'hr' } }).expect(422)).body).toEqual(far('Main'));
    expect((await api.put(`${tasks}/rival/links/Main/hr`).expect(422)).body).toEqual(far('Main'));
    expect((await api.put(systems, { Name: 'hr', 'Main of': { ID: 'rival' } }).expect(422)).body).toEqual(far('Main of'));
    // The lock of a task holds its links also where the task at the other end is deleted.
    expect((await api.delete(`${systems}/hr`).expect(422)).body).toEqual({
      errors: { base: [`C-5: ${locked}`] },
    });
    expect([await text(`${tasks}/C-5`), await text(`${systems}/hr`), await text(`${tasks}/rival`)]).toEqual(before);
    await api.put(`${systems}/hr/links/Seen/C-5`).expect(204);
  }); // prettier-ignore

  it('"DELETE is 422 on base (delete_task may)", with links and without', async () => {
    await scheduled('kept');
    await scheduled('kept with links', { Witnesses: [{ Name: 'crm' }] });
    for (const ID of ['kept', 'kept with links']) {
      const { body } = await api.delete(`${tasks}/${ID}`).expect(422);
      expect(body).toEqual({ errors: { base: ['may not be deleted in Scheduled'] } });
      expect(await perform('changes', 'drop', ID)).toBe('Success');
      await api.get(`${tasks}/${ID}`).expect(404);
    }
  });

  it('"steps, what an action asks, and wts import --force pass; comments and the checklist stay open"', async () => {
    await scheduled('acted');
    expect(await perform('changes', 'revise', 'acted', { Reason: 'asked' })).toBe('Success');
    expect(JSON.parse(await text(`${tasks}/acted`))).toMatchObject({ Plan: 'revised', Reason: 'asked' });
    const row = { ID: 'acted', Plan: 'imported' };
    const { out, err } = await importing('changes', row);
    expect(out).toContain('1 rejected');
    expect(err).toContain(`Plan ${locked}`);
    expect((await importing('changes', row, '--force')).out).toContain('1 updated');
    await api.post(`${tasks}/acted/comments`, { body: 'open' }).expect(201);
    await api.post(`${tasks}/acted/checklist_items`, { title: 'open', Stage: 'Draft' }).expect(201);
    expect(await perform('changes', 'close', 'acted')).toBe('Success');
    const { body } = await api.put(tasks, { ID: 'acted', Log: 'x', Plan: 'x' }).expect(422);
    const closed = ['may not be changed in Closed'];
    expect(body).toEqual({ errors: { Log: closed, Plan: closed } });
  });

  it('after the move into the locked stage, no concurrent write changes the task', async () => {
    await api.post(tasks, { ID: 'race', Plan: 'first' }).expect(201);
    const release = await holdTasks(service.dataSource, 'acme', 'race');
    const moved = perform('changes', 'schedule', 'race');
    await blocked(service.dataSource);
    const write = api.put(tasks, { ID: 'race', Plan: 'late' }).then(({ status }) => status);
    await blocked(service.dataSource, 2);
    await release();
    expect([await moved, await write]).toEqual(['Success', 422]);
    expect(JSON.parse(await text(`${tasks}/race`))).toMatchObject({ Stage: 'Scheduled', Plan: 'first' });
  });

  it('pages show a lock and the reason, offer no edit and no deletion, and are refused', async () => {
    const body = JSON.parse(await scheduled('page', { Systems: [{ Name: 'crm' }] })) as { 'Task URL': string };
    const at = new URL(body['Task URL']).pathname;
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
    const other = await mina.get(new URL((JSON.parse(await text(`${systems}/crm`)) as typeof body)['Task URL']).pathname);
    expect(other.html.querySelectorAll('form[action$="/links/Changes/remove"]')).toHaveLength(0);
    expect((await mina.post(at, { name: 'Plan', value: 'x', version: '0', was: '"as planned"' })).status).toBe(422);
    expect((await mina.post(`${at}/links/Systems`, { other: 'erp' })).status).toBe(422);
    expect((await mina.sendFile(`${at}/files/Runbook`, 'a.txt', 'a')).status).toBe(422);
    expect(JSON.parse(await text(`${tasks}/page`))).toEqual(body);
  }); // prettier-ignore

  it('a plan counts the tasks that become locked', async () => {
    const shut = definition.replace('{ name: Draft }', '{ name: Draft, change: [Log] }');
    const { effects, warnings } = await planDefinition(service.dataSource, readDefinition(shut, 'file.yaml'));
    const [{ n } = { n: 0 }] = await service.dataSource.query<{ n: number }[]>(
      `SELECT count(*)::integer AS n FROM tasks t JOIN stages s ON s.id = t.stage_id AND s.workspace_id = t.workspace_id WHERE s.name = 'Draft'`,
    );
    expect(effects.map(({ name, message }) => [name, message])).toEqual([
      ['changes / Draft', `${n} tasks are locked at once: only actions change them, except Log`],
    ]);
    // Draft is where tasks begin, and no payload moves one out of the others: it locks all that it seems to.
    const open =
      'locks tasks that any payload may move there: add enter: by_actions, so that only an action locks them';
    expect(warnings.map(({ path, message }) => [path, message])).toEqual([
      ['workflows[1].stages[1].change', open],
    ]);
  }); // prettier-ignore

  it.each([
    ['change: [Lag]', 'is neither a field nor a relationship of workflow changes: Lag; did you mean Log?'],
    ['change: never', 'is neither by_actions nor a list of what stays open'],
  ])('refuses %s in a definition', (change, message) => {
    const wrong = definition.replace('change: [Log, Witnesses]', change);
    const plan = planDefinition(service.dataSource, readDefinition(wrong, 'file.yaml'));
    return expect(plan).rejects.toThrow(message);
  });

  it('warns of a required field that can be filled nowhere', async () => {
    const nowhere = definition
      .replace('set: { Plan: revised, Risk: 3 }', 'set: { Plan: revised }')
      .replace("id: close, name: Close,", 'id: close, name: Close, requirements: { required_fields: [Risk, Plan] },');
    const { warnings } = await planDefinition(service.dataSource, readDefinition(nowhere, 'file.yaml'));
    expect(warnings.map(({ message }) => message)).toContain(
      'cannot be filled anywhere: Risk; let an action ask for it (fields) or set it, or a stage leave it open (change)',
    );
    expect(warnings.filter(({ message }) => message.startsWith('cannot be filled anywhere'))).toHaveLength(1);
  }); // prettier-ignore
});
