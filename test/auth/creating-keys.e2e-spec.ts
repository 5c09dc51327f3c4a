import { keyCommands } from '../../src/cli/key.commands.js';
import { requestOf } from '../http/requests.js';
import { type Ids, rows } from '../http/rows.js';
import { type Agent, connectAgent } from '../support/agent.js';
import { filesOf, inline } from '../support/attachments.js';
import { postBatch } from '../support/batch.js';
import { type Ended, wts } from '../support/command-line.js';
import { sendRaw } from '../support/raw-request.js';
import { routesOf } from '../support/routes.js';
import { type Client, startServiceWith } from '../support/service.js';

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: ines@acme.test }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, autoincrement: true }
      - { name: Owner, type: person }
      - { name: Note, type: text }
      - { name: Scan, type: file }
    checklist: [{ title: Look, stage: New }]
    actions: [{ id: note, name: Note, steps: [{ name: Note, type: update_fields, set: { Note: by a key } }] }]
    rules: [{ id: intake, on: created, when: 'actor["kind"] == "key" && task["Note"] == "rule"', run: note }]
    roles: [{ id: all, name: All, admin: true }, { id: agent, name: Agent, creates: false }]
    members: [{ email: mina@acme.test, role: all }, { email: ines@acme.test, role: agent }]
  - id: parts
    name: Parts
    stages: [{ name: New }]
    fields: [{ name: Part ID, type: uniqueId, required: true }, { name: Secret, type: text }]
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: claims, name: Parts }, to: { workflow: parts, name: Claim } }
`;
const claims = '/api/v1/workflows/claims/tasks';

const { service, api } = await startServiceWith(acme, { WTS_MCP: 'on' });

describe('a key that can only create tasks', () => {
  let key: string;
  let bot: Client;
  const run = (...args: string[]): Promise<Ended> =>
    wts(keyCommands(), args, service.config.databaseUrl ?? '');
  const keyWith = async (...options: string[]): Promise<string> =>
    (await run('create', '--workspace', 'acme', '--name', 'intake', ...options)).out.trim();

  beforeAll(async () => {
    key = await keyWith('--creates');
    bot = service.client(key);
    await api.post('/api/v1/workflows/parts/tasks', { 'Part ID': 'P-1', Secret: 'geheim' }).expect(201);
    await api.post(claims, { ID: 'C-1', Note: 'geheim', Scan: [inline('geheim.txt')], Parts: [{ 'Part ID': 'P-1' }] }).expect(201); // prettier-ignore
  });

  it('is made by `--creates`, for scope `write` and without actions, and shows this', async () => {
    expect(await bot.read('/api/v1/whoami')).toMatchObject({
      key: { scope: 'write', creates: true, workflows: null, as: null },
    });
    expect((await run('list')).out).toContain('write; only creates');
    const refused = await run('create', '--workspace', 'acme', '--name', 'x', '--creates', '--scope', 'read', '--actions', 'note'); // prettier-ignore
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toContain('--creates needs the scope write');
    expect(refused.err).toContain('--creates cannot be combined with actions: such a key starts no action');
  });

  it('creates tasks with files, in any stage and for anybody; the answer has the sent values', async () => {
    const sent = { ID: 'C-2', Note: 'mine', Stage: 'Done', 'Assigned To': 'mina@acme.test' };
    const made = await bot.post(claims, { ...sent, Scan: [inline('a.txt')] }).expect(201);
    expect(made.body).toMatchObject({ ...sent, Scan: [{ filename: 'a.txt' }], Parts: [] });
    expect(filesOf(await api.get(`${claims}/C-2`), 'Scan')).toHaveLength(1);
    const numbered = await bot.post(claims, { Note: 'numbered' }).expect(201);
    expect((numbered.body as { ID: string }).ID).toMatch(/^\d+$/);
  });

  it('learns of an existing task only that its Unique ID is taken', async () => {
    const taken = { errors: { ID: ['has already been taken'] } };
    const before = (await api.get(`${claims}/C-1`)).body as object;
    for (const body of [{ ID: 'C-1' }, { ID: 'C-1', Note: 'stolen' }, before]) {
      expect((await bot.post(claims, body).expect(422)).body).toEqual(taken);
      await bot.post(claims, body).set('If-None-Match', '*').expect(422);
    }
    // What it asks to be changed is as if it did not exist, also what it has created itself.
    for (const ID of ['C-1', 'C-2', 'C-9'])
      expect((await bot.post(claims, { ID, Note: 'x' }).set('If-Match', '*').expect(412)).body).toMatchObject({ status: 412 }); // prettier-ignore
    const eight = Array.from({ length: 8 }, (_, n) => bot.post(claims, { ID: 'C-once', Note: String(n) }));
    const statuses = (await Promise.all(eight)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, ...Array.from({ length: 7 }, () => 422)]);
    expect((await api.get(`${claims}/C-1`)).body).toEqual(before);
  });

  it('links to nothing, because a link changes the other task and reveals that it exists', async () => {
    const refused = (id: string): object => ({ errors: { Parts: [`does not exist: ${id}`] } });
    for (const id of ['P-1', 'P-none'])
      expect((await bot.post(claims, { Parts: [{ 'Part ID': id }] }).expect(422)).body).toEqual(refused(id));
    expect((await api.get(`${claims}/C-1`)).body).toMatchObject({ Parts: [{ 'Part ID': 'P-1' }] });
  });

  it('creates by a batch, row by row, and cannot delete by a batch', async () => {
    const sent = [{ ID: 'C-3', Note: 'row' }, { ID: 'C-1', Note: 'stolen' }, { _delete: true, ID: 'C-1' }, { ID: 'C-4', Parts: [{ 'Part ID': 'P-1' }] }]; // prettier-ignore
    const { lines } = await postBatch(`${service.url}${claims}/batch`, key, sent);
    const outcomes = lines.map((line) => Reflect.get(Object(line), 'status') as unknown);
    expect(outcomes).toEqual(['created', 'error', 'error', 'error']);
    expect(JSON.stringify(lines)).not.toContain('geheim');
    await api.get(`${claims}/C-1`).expect(200);
    await api.get(`${claims}/C-4`).expect(404);
  });

  it('reaches no other route: 403 reveals and changes nothing', async () => {
    const made = (await api.get(`${claims}/C-1`)).body as { Scan: { blobId: string }[] };
    const own: Ids = { workflow_id: 'claims', unique_id: 'C-1', id: 'x', execution_id: 'x', blob_id: made.Scan[0]?.blobId ?? '', field: 'Scan', relationship: 'Parts', other_unique_id: 'P-1', action_id: 'note', user: 'mina@acme.test', user_id: 'x', asset: 'start.js', metric: 'flow', webhook_id: 'x', rule_id: 'intake', schedule_id: 'x', timer_id: 'x', event_id: 'x', message_id: 'x', form_id: 'x', post_id: 'x' }; // prettier-ignore
    const open = ['GET /api/v1/whoami', 'POST /api/v1/workflows/:workflow_id/tasks', 'POST /api/v1/workflows/:workflow_id/tasks/batch']; // prettier-ignore
    for (const route of routesOf(service.app)) {
      if (rows[route]?.isPublic || open.includes(route) || route.startsWith('ANY')) continue;
      const { status, body } = await sendRaw(service.url, requestOf(route, [['Authorization', `Bearer ${key}`]], own, own)); // prettier-ignore
      expect([route, status]).toEqual([route, 403]);
      expect(body).toContain('This key can only create tasks.');
    }
    expect((await api.get(`${claims}/C-1`)).body).toEqual(made);
  });

  it('is named in rules and events', async () => {
    await bot.post(claims, { ID: 'C-6', Note: 'rule' }).expect(201);
    await service.settle();
    expect((await api.get(`${claims}/C-6`)).body).toMatchObject({ Note: 'by a key' });
    const { body } = await api.get(`${claims}/C-6/history`).expect(200);
    const created = (body as { type: string; data: { actor: object } }[]).at(-1);
    expect(created).toMatchObject({ type: 'task.created', data: { actor: { kind: 'key', name: 'intake' } } });
  });

  it('is bound by its other restrictions, and by the user that it acts as', async () => {
    const few = service.client(await keyWith('--creates', '--workflows', 'claims', '--fields', 'Note'));
    await few.post(claims, { Note: 'x' }).expect(201);
    await few.post(claims, { Note: 'x', Stage: 'Done' }).expect(422);
    await few.post('/api/v1/workflows/parts/tasks', { 'Part ID': 'P-2' }).expect(404);
    const ines = service.client(await keyWith('--creates', '--as', 'ines@acme.test'));
    await ines.post(claims, { Note: 'x' }).expect(403);
    const mina = service.client(await keyWith('--creates', '--as', 'mina@acme.test'));
    await mina.post(claims, { Note: 'x', 'Assigned To': 'mina@acme.test' }).expect(201);
    await mina.post(claims, { ID: 'C-1', Note: 'x' }).expect(422);
    await mina.get(`${claims}/C-1`).expect(403);
  });

  describe('of an agent', () => {
    let agent: Agent;
    beforeAll(async () => {
      agent = await connectAgent(service.url, key, '2026-07-28');
    });
    afterAll(() => agent.close());

    it('saves new tasks, and can use no other tool', async () => {
      const place = { workflow: 'claims', unique_id: 'C-7' };
      const set = { Note: 'by an agent' };
      expect((await agent.call('save_task', { ...place, set, dry_run: true })).structuredContent).toMatchObject({ would: 'create' }); // prettier-ignore
      expect((await agent.call('save_task', { ...place, set })).structuredContent).toMatchObject({ did: 'created' }); // prettier-ignore
      for (const { name } of (await agent.list()).filter(({ name }) => name !== 'save_task')) {
        const { structuredContent } = await agent.call(name, { workflow: 'claims', unique_id: 'C-1', action: 'note', body: 'x' }); // prettier-ignore
        expect([name, structuredContent.refused]).toEqual([name, 'forbidden']);
      }
    });

    it.each([{}, { dry_run: true }])('does not change a task by save_task: %j', async (more) => {
      const place = { workflow: 'claims', unique_id: 'C-1', ...more };
      for (const given of [
        { set: { Note: 'stolen' } },
        { set: {} },
        { checklist: { Look: 'Completed' } },
        { set: { Note: 'x' }, version: '*' },
      ]) {
        const { structuredContent, isError } = await agent.call('save_task', { ...place, ...given });
        expect([given, isError]).toEqual([given, true]);
        expect(JSON.stringify(structuredContent)).not.toContain('geheim');
      }
      expect((await api.get(`${claims}/C-1`)).body).toMatchObject({ Note: 'geheim' });
    });
  });
});
