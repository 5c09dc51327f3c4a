import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { endOf } from '../support/executions.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const cases = '/api/v1/workflows/cases/tasks';
const executions = '/api/v1/workflows/cases/executions';

/** A workflow whose actions are these, each a flow mapping of steps by its id. */
const yaml = (actions: Readonly<Record<string, string>>): string => `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test, first_name: Mina, last_name: Ray }, { email: theo@acme.test }]
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Busy }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Title, type: text, required: true }
      - { name: Amount, type: currency }
      - { name: Day, type: date }
      - { name: Tags, type: multipleSelect, options: [A, B] }
      - { name: Open, type: checkbox }
      - { name: Fixed, type: text }
      - { name: Files, type: file }
    actions:
${Object.entries(actions)
  .map(([id, steps]) => `      - { id: ${id}, name: ${id}, steps: [${steps}] }`)
  .join('\n')}
  - id: parts
    name: Parts
    stages: [{ name: Open }, { name: Sold, end: true }]
    fields: [{ name: Part, type: uniqueId, required: true }, { name: Price, type: currency }, { name: Tags, type: multipleSelect, options: [A, B] }]
    checklist: [{ title: Count, stage: Open }]
  - id: customers
    name: Customers
    stages: [{ name: Active }]
    fields: [{ name: Name, type: uniqueId, required: true }, { name: Post Box 7.5, type: text }, { name: Credit, type: currency }, { name: Owner, type: person }]
relationships:
  - { id: customer, kind: many_to_one, from: { workflow: cases, name: Customer }, to: { workflow: customers, name: Cases } }
  - { id: parts, kind: one_to_many, from: { workflow: cases, name: Parts }, to: { workflow: parts, name: Case } }
`;

describe('steps', () => {
  let service: TestService;
  let api: Client;
  let receiver: Server;
  let url: string;
  let calls: Call[] = [];
  type Answer = [status: number, body: string, headers?: Record<string, string>];
  let answer: (call: Call) => Answer | Promise<Answer> = () => [200, ''];

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const call = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
        calls.push(call);
        void Promise.resolve(answer(call)).then(
          ([status, text, headers = {}]) => {
            response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
          },
          () => response.destroy(),
        );
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    service = await startService({ WTS_OUTBOUND_ALLOW: '127.0.0.1/32', WTS_SECRET_ACME__TOKEN: 's3cret' });
    await service.apply(
      yaml({
        move: `{ name: Move, type: move_to_stage, stage: Done }`,
        assign: `{ name: Give, type: assign, to: theo@acme.test }`,
        take: `{ name: Take, type: assign, to: performer }`,
        free: `{ name: Free, type: assign, to: nobody }`,
        update: `{ name: Fill, type: update_fields, set: { Title: '{{ID}} of {{Stage}}', Amount: { expression: 'task["Amount"] * 2' }, Day: { expression: 'add_days("2026-01-30", 3)' }, Tags: [B, A], Open: true } }`,
        far: `{ name: Fill, type: update_fields, set: { Title: '{{Customer.Name}} ({{Customer.Stage}}) {{Customer.Post Box 7.5}}', Amount: '{{Customer.Credit}}' } }, { name: Tell, type: api_call, url: '${url}/{{Customer.Name}}', body: { credit: '{{Customer.Credit}}' } }, { name: Say, type: comment, text: '{{Customer.Name}} was told' }`,
        hand: `{ name: Hand over, type: assign, to: { field: Customer.Owner } }`,
        blank: `{ name: Blank, type: update_fields, set: { Title: null } }`,
        fix: `{ name: Fix, type: update_fields, set: { Fixed: other } }`,
        raise: `{ name: Raise, type: update_fields, set: { Amount: { expression: 'task["Amount"] / 0' } } }`,
        create: `{ name: Make, type: create_linked_task, relationship: parts, set: { Part: 'P-{{ID}}', Price: '{{Amount}}', Tags: '{{Tags}}', Stage: Sold, Assigned To: mina@acme.test } }`,
        linked: `{ name: Sell, type: update_linked_tasks, relationship: parts, set: { Stage: Sold, Price: '7' } }`,
        add: `{ name: Add, type: add_checklist_items, items: [{ title: Look, stage: Busy }] }`,
        delete: `{ name: Gone, type: delete_task }`,
        undone: `{ name: Move, type: move_to_stage, stage: Done }, { name: Make, type: create_linked_task, relationship: parts, set: { Part: 'U-{{ID}}' } }, { name: Add, type: add_checklist_items, items: [{ title: Look, stage: Busy }] }, { name: Blank, type: update_fields, set: { Title: null } }`,
        call: `{ name: First, type: move_to_stage, stage: Busy }, { name: Tell, type: api_call, url: '${url}/told' }`,
        told: `{ name: Tell, type: api_call, method: PUT, url: '${url}/x/{{ID}}?t={{Title}}', headers: { X-Token: '{{secret.TOKEN}}' }, body: { amount: '{{Amount}}', tags: '{{Tags}}', text: 'of {{ID}}', open: '{{Open}}' } }`,
        missing: `{ name: Tell, type: api_call, url: '${url}/{{secret.NONE}}' }`,
        inside: `{ name: Tell, type: api_call, url: 'http://127.0.0.2:4000/', tries: 1 }`,
      }),
    );
    // Definitions that an older version took hold such steps.
    await service.dataSource.query("UPDATE fields SET editable = false WHERE name = 'Fixed'");
    await service.dataSource.query('UPDATE workspaces SET version = version + 1');
    api = service.client(await service.key('acme'));
  });
  beforeEach(() => {
    calls = [];
    answer = () => [200, ''];
  });
  afterAll(async () => {
    await service.stop();
    receiver.close();
  });

  /** Creates a case, does the action on it and gives the execution's end. */
  async function perform(
    action: string,
    ID: string,
    further: object = {},
    performer?: string,
  ): Promise<object> {
    await api.post(cases, { ID, Title: 'a b', Amount: '10.5', Fixed: 'f', ...further }).expect(201);
    return begin(action, ID, performer);
  }

  async function begin(action: string, ID: string, performer?: string): Promise<object> {
    const sent = { task_id: ID, action_id: action, performed_by: performer ?? null };
    const { body } = await endOf(api, executions, await api.post(executions, sent).set('Prefer', 'wait=20'));
    const { id, ...end } = body as { id: string };
    expect(id).toMatch(/^[\w-]{16}$/);
    return end;
  }

  async function read(ID: string): Promise<Record<string, unknown>> {
    return (await api.get(`${cases}/${ID}`).expect(200)).body as Record<string, unknown>;
  }

  it.each([
    ['move', { Stage: 'Done' }],
    ['assign', { 'Assigned To': 'theo@acme.test' }],
    ['free', { 'Assigned To': null }],
    ['update', { Title: 'update of New', Amount: '21.00', Day: '2026-02-02', Tags: ['A', 'B'], Open: true }],
  ])('%s does what it says', async (action, change) => {
    expect(await perform(action, action, { 'Assigned To': 'mina@acme.test' })).toEqual({ status: 'Success' });
    expect(await read(action)).toMatchObject(change);
  });

  it('templates name fields of the task that is linked as the one; blank where there is none', async () => {
    await api.post('/api/v1/workflows/customers/tasks', { Name: 'C-1', 'Post Box 7.5': '12', Credit: '5' }); // prettier-ignore
    await perform('far', 'F-1', { Customer: { Name: 'C-1' } });
    expect((await api.get(`${cases}/F-1`)).body).toMatchObject({ Title: 'C-1 (Active) 12', Amount: '5.00' });
    expect(calls).toMatchObject([{ url: '/C-1', body: '{"credit":"5.00"}' }]);
    expect((await api.get(`${cases}/F-1/comments`)).body).toMatchObject([{ body: 'C-1 was told' }]);
    await api.put('/api/v1/workflows/customers/tasks', { Name: 'C-1', Owner: 'theo@acme.test' }).expect(200);
    await begin('hand', 'F-1');
    expect((await api.get(`${cases}/F-1`)).body).toMatchObject({ 'Assigned To': 'theo@acme.test' });
    await perform('far', 'F-2', { Amount: '9' });
    expect((await api.get(`${cases}/F-2`)).body).toMatchObject({ Title: ' () ', Amount: null });
    expect(calls[1]).toMatchObject({ url: '/', body: '{"credit":null}' });
  });

  it('assign to the performer needs one', async () => {
    expect(await perform('take', 'take', {}, 'MINA@acme.test')).toEqual({ status: 'Success' });
    expect(await read('take')).toMatchObject({ 'Assigned To': 'mina@acme.test' });
    expect(await perform('take', 'take2')).toEqual({ status: 'Fail', errors: ['Take: there is no performer to assign it to'] }); // prettier-ignore
  });

  it.each([
    ['blank', 'Blank: Title is required'],
    ['fix', 'Fix: Fixed cannot be changed after creation'],
    ['raise', 'Raise: division by zero'],
    ['missing', 'Tell: the secret NONE is not set: WTS_SECRET_ACME__NONE'],
    ['inside', 'Tell: its address is not allowed (WTS_OUTBOUND_ALLOW)'],
  ])('%s fails, names its reason and changes nothing', async (action, reason) => {
    expect(await perform(action, action)).toEqual({ status: 'Fail', errors: [reason] });
    expect(await read(action)).toMatchObject({ Stage: 'New', Title: 'a b', Amount: '10.50', Fixed: 'f' });
  });

  it('create_linked_task creates, links, and gives the template’s items; a second time it is taken', async () => {
    expect(await perform('create', 'c', { Tags: ['B'] })).toEqual({ status: 'Success' });
    expect(await read('c')).toMatchObject({
      Parts: [{ Part: 'P-c', Price: '10.50', Tags: ['B'], Stage: 'Sold', 'Assigned To': 'mina@acme.test' }],
    });
    const items = await api.get('/api/v1/workflows/parts/tasks/P-c/checklist_items').expect(200);
    expect(items.body).toMatchObject([{ title: 'Count', editable: false }]);
    expect(await begin('create', 'c')).toEqual({
      status: 'Fail',
      errors: ['Make: Parts P-c exists already'],
    });
  });

  it('update_linked_tasks changes each of them', async () => {
    const parts = ['L1', 'L2', 'L3'].map((Part) => ({ Part }));
    for (const part of parts) await api.post('/api/v1/workflows/parts/tasks', part).expect(201);
    expect(await perform('linked', 'l', { Parts: parts })).toEqual({ status: 'Success' });
    const sold = { Stage: 'Sold', Price: '7.00' };
    expect(await read('l')).toMatchObject({ Parts: [sold, sold, sold] });
    expect(await perform('linked', 'none')).toEqual({ status: 'Success' });
  });

  it('add_checklist_items adds editable items', async () => {
    expect(await perform('add', 'add')).toEqual({ status: 'Success' });
    const { body } = await api.get(`${cases}/add/checklist_items`).expect(200);
    expect(body).toMatchObject([{ title: 'Look', Stage: 'Busy', status: 'Blank', editable: true }]);
  });

  it('delete_task deletes it, its links go, and its partners have a new version', async () => {
    const added = await api.post('/api/v1/workflows/parts/tasks', { Part: 'D' }).expect(201);
    expect(await perform('delete', 'd', { Parts: [{ Part: 'D' }] })).toEqual({ status: 'Success' });
    await api.get(`${cases}/d`).expect(404);
    const { body, headers } = await api.get('/api/v1/workflows/parts/tasks/D').expect(200);
    const version = (tag: unknown): number => Number(/^"(\d+)-/.exec(String(tag))?.[1]);
    // One when it was linked, and one when it was not any more.
    const grown = version(headers['etag']) - version(added.headers['etag']);
    expect([(body as { Case: unknown }).Case, grown]).toEqual([null, 2]);
  });

  it('all or nothing: a step that fails takes all others back', async () => {
    expect(await perform('undone', 'u')).toEqual({ status: 'Fail', errors: ['Blank: Title is required'] });
    expect(await read('u')).toMatchObject({ Stage: 'New', Parts: [] });
    await api.get('/api/v1/workflows/parts/tasks/U-u').expect(404);
    expect((await api.get(`${cases}/u/checklist_items`)).body).toEqual([]);
  });

  describe('api_call', () => {
    it('sends {"action","action_id","user","task"}, the task as the steps so far have made it', async () => {
      expect(await perform('call', 'b', {}, 'mina@acme.test')).toEqual({ status: 'Success' });
      const [call] = calls;
      expect([calls.length, call?.method, call?.url]).toEqual([1, 'POST', '/told']);
      expect(JSON.parse(call?.body ?? '')).toEqual({
        action: 'call',
        action_id: 'call',
        user: { id: expect.stringMatching(/./) as unknown, email: 'mina@acme.test', first_name: 'Mina', last_name: 'Ray' }, // prettier-ignore
        task: await read('b'),
      });
      expect(await perform('call', 'nobody')).toEqual({ status: 'Success' });
      expect(JSON.parse(calls[1]?.body ?? '')).toMatchObject({ user: null, task: { Stage: 'Busy' } });
    });

    it('fills templates in: encoded in the url, of their own kind in a mapping, secrets too', async () => {
      expect(await perform('told', 'a/b', { Tags: ['A'] })).toEqual({ status: 'Success' });
      const [call] = calls;
      expect([call?.method, call?.url, call?.headers['x-token']]).toEqual([
        'PUT',
        '/x/a%2Fb?t=a%20b',
        's3cret',
      ]);
      expect(JSON.parse(call?.body ?? '')).toEqual({
        amount: '10.50',
        tags: ['A'],
        text: 'of a/b',
        open: false,
      });
      const { rows } = { rows: await service.dataSource.query<object[]>('SELECT * FROM executions') };
      expect(JSON.stringify(rows)).not.toContain('s3cret');
    });

    it('an answer’s task is written like an update; an echo works', async () => {
      answer = ({ body }) => {
        const { task } = JSON.parse(body) as { task: object };
        return [200, JSON.stringify({ task: { ...task, Title: 'told', Amount: 3 } })];
      };
      expect(await perform('call', 'echo')).toEqual({ status: 'Success' });
      expect(await read('echo')).toMatchObject({ Title: 'told', Amount: '3.00', Stage: 'Busy' });
    });

    it.each([
      ['an unknown key', '{"task":{"Colour":1}}', 'Tell: Colour is not a field of this workflow'],
      ['another Unique ID', '{"task":{"ID":"other"}}', 'Tell: ID cannot be changed by a step'],
      ['a value that is refused', '{"task":{"Day":"soon"}}', 'Tell: Day is not a date in YYYY-MM-DD format'],
      [
        'more than 64 KB of JSON',
        JSON.stringify({ task: { Title: 'x'.repeat(70_000) } }),
        'Tell: it is larger than 65536 bytes',
      ],
    ])('%s fails the step', async (name, body, reason) => {
      answer = () => [200, body];
      expect(await perform('call', name)).toEqual({ status: 'Fail', errors: [reason] });
      expect(await read(name)).toMatchObject({ Stage: 'New' });
    });

    it('what is not JSON is ignored', async () => {
      answer = () => [200, '<html>'];
      expect(await perform('call', 'html')).toEqual({ status: 'Success' });
    });

    it('404 and a redirect fail at once, with the status alone', async () => {
      answer = () => [404, '{"secret":"inside"}'];
      expect(await perform('call', '404')).toEqual({ status: 'Fail', errors: ['Tell: was answered with status 404'] }); // prettier-ignore
      answer = () => [302, '', { location: `${url}/elsewhere` }];
      expect(await perform('call', '302')).toEqual({ status: 'Fail', errors: ['Tell: was answered with status 302'] }); // prettier-ignore
      expect(calls).toHaveLength(2);
    });

    it('503 is tried again, three times at most, always under the same key', async () => {
      answer = () => (calls.length < 3 ? [503, ''] : [200, '']);
      expect(await perform('call', '503')).toEqual({ status: 'Success' });
      const keys = calls.map(({ headers }) => headers['idempotency-key']);
      expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
      expect(keys[0]).toMatch(/^[\w-]{16}\.1$/);
    });

    /** Does something once, before the first call is answered with 503; gives what came of it. */
    function onFirstCall(work: () => Promise<void>): () => Promise<void> {
      let done: Promise<void> | undefined;
      answer = async () => {
        if (done) return [200, ''];
        await (done = work());
        return [503, '', { 'retry-after': '1' }];
      };
      return () => done ?? Promise.reject(new Error('no call has come'));
    }

    it('a task that is deleted while it lasts ends it; one made anew under its Unique ID is another', async () => {
      await api.post(cases, { ID: 'anew', Title: 'old' }).expect(201);
      const made = onFirstCall(async () => {
        await api.delete(`${cases}/anew`).expect(204);
        await api.post(cases, { ID: 'anew', Title: 'new' }).expect(201);
      });
      expect(await begin('call', 'anew')).toEqual({ status: 'Fail', errors: ['task was deleted'] });
      await made();
      expect(await read('anew')).toMatchObject({ Title: 'new', Stage: 'New' });
    });

    it('edits of other fields while it lasts are kept; a stage that has changed meanwhile is judged', async () => {
      await api.post(cases, { ID: 'slow', Title: 't' }).expect(201);
      const edited = onFirstCall(async () => {
        await api.put(cases, { ID: 'slow', Amount: 5 }).expect(200);
      });
      expect(await begin('call', 'slow')).toEqual({ status: 'Success' });
      await edited();
      expect(await read('slow')).toMatchObject({ Stage: 'Busy', Amount: '5.00' });
    });

    it('who goes on with an execution makes no call twice', async () => {
      await api.post(cases, { ID: 'again', Title: 't' }).expect(201);
      await begin('call', 'again');
      expect(calls).toHaveLength(1);
      // As if the worker had died between the answer and the change.
      await service.dataSource.query(
        `INSERT INTO executions (workspace_id, workflow_id, task_id, action_id, action_name, definition, steps, answers,
           started_at, lease_until, claims, fence)
         SELECT workspace_id, workflow_id, task_id, action_id, action_name, definition, steps, answers,
           now(), now() - interval '1 second', 1, 1
         FROM executions WHERE answers <> '{}' ORDER BY place DESC LIMIT 1`,
      );
      const pending = `SELECT FROM executions WHERE status = 'Pending'`;
      await until(async () => (await service.dataSource.query<object[]>(pending)).length === 0);
      expect(calls).toHaveLength(1);
    });
  });
});
