import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { createLogger } from '../src/logger.js';
import { type Client, startService, type TestService } from './support/service.js';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds, for gaps. */
  readonly at: number;
}

/** What the receiver does about the nth call for a task, counted from 1. */
type Reply = (response: ServerResponse, call: Call, nth: number) => void;

interface Ended {
  readonly id: string;
  readonly status: string;
  readonly errors?: readonly string[];
}

const cases = '/api/v1/workflows/cases/tasks';
const parts = '/api/v1/workflows/parts/tasks';
const executions = '/api/v1/workflows/cases/executions';

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
};
const status = (code: number, headers: Record<string, string> = {}): Reply => {
  return (response) => {
    response.writeHead(code, headers).end();
  };
};
const hang: Reply = () => undefined;
/** These, one for each call, and the last again and again. */
const inTurn = (...replies: Reply[]): Reply => {
  return (response, call, nth) => replies[Math.min(nth, replies.length) - 1]?.(response, call, nth);
};

describe('api calls', () => {
  const calls: Call[] = [];
  const replies = new Map<string, Reply>();
  const lines: string[] = [];
  let receiver: Server;
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      const at = performance.now();
      const { method = '', url: path = '', headers } = request;
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const call = { method, path, headers, body, at };
        calls.push(call);
        const task = taskOf(call);
        (replies.get(task) ?? status(200))(response, call, callsFor(task).length);
      });
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    service = await startService(
      {
        WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
        WTS_SECRET_ACME_TOKEN: 'planted-secret',
        WTS_SECRET_ACME_BROKEN: 'planted\r\nX-More: secret',
        WTS_SECRET_OTHER_TOKEN: 'planted-foreign',
        WTS_LOG_LEVEL: 'trace',
      },
      createLogger('trace', { write: (line) => void lines.push(line) }),
    );
    await service.apply(definition(url));
    api = service.client(await service.key('acme'));
  });
  afterAll(async () => {
    receiver.closeAllConnections();
    await service.stop();
    receiver.close();
  });

  function callsFor(task: string): Call[] {
    return calls.filter((call) => taskOf(call) === task);
  }

  async function create(ID: string, further: object = {}): Promise<void> {
    await api.post(cases, { ID, Title: 'a b', Amount: '10.5', ...further }).expect(201);
  }

  /** Does the action on a case that is there, and gives its end. */
  async function perform(action_id: string, task_id: string): Promise<Ended> {
    const body = { task_id, action_id };
    return (await api.post(executions, body).set('Prefer', 'wait=25').expect(200)).body as Ended;
  }

  /** Does it on a new case whose calls get this reply. */
  async function performOn(ID: string, action: string, reply: Reply = status(200)): Promise<Ended> {
    replies.set(ID, reply);
    await create(ID);
    return perform(action, ID);
  }

  async function read(ID: string): Promise<Record<string, unknown>> {
    return (await api.get(`${cases}/${ID}`).expect(200)).body as Record<string, unknown>;
  }

  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (const deadline = Date.now() + 15_000; !(await isSo());) {
      expect(Date.now()).toBeLessThan(deadline);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  describe('what is sent', () => {
    it('by default is {"action","user","task"}: the task as a response shows it, and as the steps so far made it', async () => {
      for (let n = 1; n <= 10; n += 1) await api.post(parts, { Part: `P${n}`, Price: n }).expect(201);
      const Parts = Array.from({ length: 10 }, (_, n) => ({ Part: `P${n + 1}` }));
      await create('links', { Parts });
      expect(await perform('move-and-tell', 'links')).toMatchObject({ status: 'Success' });
      const shown = await api.get(`${cases}/links`).expect(200);
      const [call] = callsFor('links');
      // The text is the same, so the order of the keys and the digits of the numbers are.
      expect(call?.body).toBe(`{"action":"Move and tell","user":null,"task":${shown.text}}`);
      expect(shown.body).toMatchObject({ Stage: 'Busy', Parts: expect.any(Array) as unknown });
      expect((shown.body as { Parts: unknown[] }).Parts).toHaveLength(10);
      expect(call?.headers).toMatchObject({
        'content-type': 'application/json',
        'accept-encoding': 'identity',
      });
    });

    it('goes by a GET without a body', async () => {
      expect(await performOn('get', 'ask')).toMatchObject({ status: 'Success' });
      const [call] = callsFor('get');
      expect([call?.method, call?.body, call?.headers['content-length']]).toEqual(['GET', '', undefined]);
    });

    it('templates: encoded in the url, plain in texts, of their own kind as the whole of a text in a mapping', async () => {
      const Title = 'ä/?&"x';
      await create('fill', { Title, Tags: ['B', 'A'], Open: true, 'Assigned To': 'mina@acme.test' });
      expect(await perform('fill', 'fill')).toMatchObject({ status: 'Success' });
      const [call] = callsFor('fill');
      expect([call?.method, call?.path]).toEqual([
        'PUT',
        `/fill?t=${encodeURIComponent(Title)}&who=mina%40acme.test&no=`,
      ]);
      expect(call?.headers).toMatchObject({
        'x-token': 'planted-secret of fill',
        'content-type': 'application/vnd.x+json',
      });
      const { 'Task URL': taskUrl } = await read('fill');
      expect(JSON.parse(call?.body ?? '')).toEqual({
        deep: [{ tags: ['A', 'B'], open: true, blank: null }, 7, null, false],
        amount: '10.50',
        text: 'New: A, B; 10.50; true; ',
        url: taskUrl,
        who: 'mina@acme.test',
        key: 'planted-secret',
      });
    });

    it('a text body is sent as text', async () => {
      expect(await performOn('text', 'write')).toMatchObject({ status: 'Success' });
      const [call] = callsFor('text');
      expect([call?.body, call?.headers['content-type']]).toEqual([
        'text: a b; planted-secret',
        'text/plain; charset=utf-8',
      ]);
    });

    it.each([
      ['missing', 'Tell: the secret NONE is not set'],
      ['foreign', 'Tell: the secret OTHER_TOKEN is not set'],
      ['broken', 'Tell: the header x-token cannot be sent'],
    ])('a secret that cannot be had (%s) fails the step before any call', async (action, error) => {
      const { status, errors } = await performOn(`secret-${action}`, action);
      expect([status, errors, callsFor(`secret-${action}`)]).toEqual(['Fail', [error], []]);
    });

    it.each([
      ['a line break', 'a\r\nX-More: b'],
      ['what is not Latin-1', 'Łódź'],
    ])('a header’s value with %s fails the step', async (name, Note) => {
      await create(name, { Note });
      expect(await perform('head', name)).toMatchObject({
        status: 'Fail',
        errors: ['Tell: the header x-note cannot be sent'],
      });
      expect(callsFor(name)).toEqual([]);
    });

    it('a task with more links than are read at once is sent whole', async () => {
      await api.post(parts, { Part: 'M' }).expect(201);
      await create('many', { Parts: [{ Part: 'M' }] });
      await service.dataSource.query(`
        WITH made AS (
          INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
          SELECT t.workspace_id, t.workflow_id, 'many' || n, 'M' || n, t.stage_id, t.is_active, '{}'
          FROM generate_series(1, 5000) n, tasks t WHERE t.unique_value = 'M'
          RETURNING workspace_id, workflow_id, id
        )
        INSERT INTO links (workspace_id, relationship_id, kind, from_workflow_id, from_id, to_workflow_id, to_id)
        SELECT m.workspace_id, l.relationship_id, l.kind, t.workflow_id, t.id, m.workflow_id, m.id
        FROM made m, (SELECT relationship_id, kind FROM links LIMIT 1) l, tasks t WHERE t.unique_value = 'many'`);
      expect(await perform('tell', 'many')).toMatchObject({ status: 'Success' });
      const { task } = JSON.parse(callsFor('many')[0]?.body ?? '') as { task: { Parts: unknown[] } };
      expect(task.Parts).toHaveLength(5001);
    });
  });

  describe('what is answered', () => {
    it('an echo changes nothing but what it says else; Task URL, relationship and file keys are ignored', async () => {
      await create('echo', {
        Files: [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'AAAA' }],
      });
      replies.set('echo', (response, call, nth) => {
        const { task } = JSON.parse(call.body) as { task: Record<string, unknown> };
        const also = { 'Task URL': 'https://elsewhere', Parts: [{ Part: 'P1' }], Files: [], Amount: 3 };
        json(200, { task: { ...task, ...also, Stage: 'Done', 'Assigned To': 'theo@acme.test' } })(
          response,
          call,
          nth,
        );
      });
      const before = await read('echo');
      expect(await perform('tell', 'echo')).toMatchObject({ status: 'Success' });
      const changed = { Amount: '3.00', Stage: 'Done', 'Assigned To': 'theo@acme.test' };
      expect(await read('echo')).toEqual({ ...before, ...changed });
    });

    it('numbers keep their digits', async () => {
      const reply: Reply = (response) =>
        response.writeHead(200, { 'content-type': 'application/problem+json' }).end('{"task":{"Amount":123456789012345678.25}}'); // prettier-ignore
      expect(await performOn('digits', 'tell', reply)).toMatchObject({ status: 'Success' });
      expect(await read('digits')).toMatchObject({ Amount: '123456789012345678.25' });
    });

    it.each<[string, Record<string, unknown>, string]>([
      ['an unknown key', { Colour: 'red' }, 'Colour is not a field of this workflow'],
      ['another Unique ID', { ID: 'other' }, 'ID cannot be changed by a step'],
      ['a blank Unique ID', { ID: null }, 'ID cannot be changed by a step'],
      ['a value of another type', { Day: 'soon' }, 'Day is not a date in YYYY-MM-DD format'],
      ['a blank required field', { Title: '' }, 'Title is required'],
      ['a field that is frozen', { Fixed: 'x' }, 'Fixed cannot be changed after creation'],
      ['a stage that there is not', { Stage: 'Lost' }, 'Stage is not a stage of this workflow'],
      ['nobody we know', { 'Assigned To': 'x@acme.test' }, 'Assigned To is not a user of this workspace'],
    ])('%s fails the step, and nothing of it is written', async (name, task, error) => {
      await create(name, { Fixed: 'f' });
      replies.set(name, json(200, { task: { Amount: 99, ...task } }));
      const before = await api.get(`${cases}/${encodeURIComponent(name)}`);
      expect(await perform('move-and-tell', name)).toMatchObject({
        status: 'Fail',
        errors: [`Tell: ${error}`],
      });
      const after = await api.get(`${cases}/${encodeURIComponent(name)}`);
      expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']]);
    });

    it.each<[string, Reply]>([
      ['204', status(204)],
      ['no task', json(200, { tasks: {} })],
      ['task-null', json(200, { task: null })],
      ['an-array', json(201, [{ task: { Title: 'x' } }])],
      [
        'broken',
        (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"task":'),
      ],
      ['html', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
      ['large', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x'.repeat(300_000))], // prettier-ignore
    ])('what says nothing of a task is ignored: %s', async (name, reply) => {
      expect(await performOn(name, 'tell', reply)).toMatchObject({ status: 'Success' });
      expect(await read(encodeURIComponent(name))).toMatchObject({ Title: 'a b', Stage: 'New' });
    });

    it('JSON of more than 64 KB fails the step', async () => {
      const reply = json(200, { task: { Title: 'x' }, more: 'x'.repeat(65_536) });
      expect(await performOn('65', 'tell', reply)).toMatchObject({ status: 'Fail', errors: ['Tell: it is larger than 65536 bytes'] }); // prettier-ignore
      const fits = json(200, { task: { Title: 'y' }, more: 'x'.repeat(65_000) });
      expect(await performOn('64', 'tell', fits)).toMatchObject({ status: 'Success' });
      expect(await read('64')).toMatchObject({ Title: 'y' });
    });
  });

  describe('what is no 2xx', () => {
    it.each([301, 302, 307, 400, 401, 404, 410, 422])(
      '%i fails at once and is not followed',
      async (code) => {
        const name = `status-${code}`;
        const end = await performOn(name, 'tell', status(code, { location: '/elsewhere' }));
        expect(end).toMatchObject({ status: 'Fail', errors: [`Tell: was answered with status ${code}`] });
        expect(callsFor(name)).toHaveLength(1);
        expect(callsFor('elsewhere')).toEqual([]);
      },
    );

    it.each<[string, Reply]>([
      ['408', status(408)],
      ['503', status(503)],
      ['reset', (response) => response.destroy()],
      ['torn', (response) => response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy())], // prettier-ignore
    ])('%s is tried three times with growing gaps, always under the key of the step', async (name, reply) => {
      const { id, status: end } = await performOn(name, 'move-and-tell', inTurn(reply, reply, status(200)));
      const made = callsFor(name);
      expect([end, made.length]).toEqual(['Success', 3]);
      expect(new Set(made.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([`${id}.1`]));
      expect(new Set(made.map(({ body }) => body)).size).toBe(1);
      const [first = 0, second = 0] = made.slice(1).map(({ at }, n) => at - (made[n]?.at ?? 0));
      expect(first).toBeGreaterThanOrEqual(240);
      expect(second).toBeGreaterThanOrEqual(490);
    });

    it('a fourth time it is not', async () => {
      expect(await performOn('down', 'tell', status(500))).toMatchObject({
        status: 'Fail',
        errors: ['Tell: was answered with status 500'],
      });
      expect(callsFor('down')).toHaveLength(3);
    });

    it.each([
      ['seconds', () => '2'],
      ['a date', () => new Date(Date.now() + 3000).toUTCString()],
    ])('429 with Retry-After in %s waits as it was told', async (name, after) => {
      const busy: Reply = (response, call, nth) => {
        status(429, { 'retry-after': after() })(response, call, nth);
      };
      expect(await performOn(name, 'tell', inTurn(busy, status(200)))).toMatchObject({ status: 'Success' });
      const [first, second] = callsFor(name);
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1900);
    });

    it('a time-out is tried again, and then says only so; a body that does not end is one too', async () => {
      const drip: Reply = (response) => {
        const timer = setInterval(() => response.write('x'), 50);
        response.once('close', () => {
          clearInterval(timer);
        });
      };
      const ends = await Promise.all([performOn('hang', 'hurry', hang), performOn('drip', 'hurry', drip)]);
      for (const end of ends)
        expect(end).toMatchObject({ status: 'Fail', errors: ['Tell: it took too long'] });
      expect([callsFor('hang').length, callsFor('drip').length]).toEqual([2, 2]);
    });

    it.each([
      ['inside', 'its address is not allowed'],
      ['local', 'its address is not allowed'],
      ['metadata', 'its address is not allowed'],
      ['port', 'the port in its URL is not allowed'],
      ['nowhere', 'the server could not be reached'],
    ])('a server that may not or cannot be reached (%s) is named by no address', async (action, reason) => {
      expect(await performOn(`to-${action}`, action)).toMatchObject({
        status: 'Fail',
        errors: [`Tell: ${reason}`],
      });
    });
  });

  describe('exactly once', () => {
    it('who goes on makes only the calls that have no answer yet, under the same keys, and changes the task once', async () => {
      replies.set('twice', inTurn(json(200, { task: { Amount: 42 } }), hang, status(200)));
      await create('twice');
      const { headers } = await api.get(`${cases}/twice`);
      const ended = perform('tell-twice', 'twice');
      await until(() => callsFor('twice').length === 2);
      // As if its worker had fallen silent: somebody else takes it over while the second call hangs.
      await service.dataSource.query(
        `UPDATE executions SET lease_until = now() - interval '1 second', fence = fence + 1 WHERE status = 'Pending'`,
      );
      const { id, status: end } = await ended;
      expect(end).toBe('Success');
      const keys = callsFor('twice').map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual([`${id}.0`, `${id}.2`, `${id}.2`]);
      const after = await api.get(`${cases}/twice`);
      expect(after.body).toMatchObject({ Amount: '42.00', Stage: 'Busy', Title: 'told' });
      const version = (tag: unknown): number => Number(/"(\d+)-/.exec(String(tag))?.[1]);
      expect(version(after.headers['etag'])).toBe(version(headers['etag']) + 1);
      const [row] = await service.dataSource.query<{ answers: object }[]>(
        'SELECT answers FROM executions WHERE id = $1',
        [id],
      );
      expect(Object.keys(row?.answers ?? {})).toEqual(['0', '2']);
    });

    it('what is changed during a call is kept, even where the answer was made of older values', async () => {
      replies.set('meanwhile', (response, call, nth) => {
        void api.put(cases, { ID: 'meanwhile', Note: 'by hand' }).then(() => {
          json(200, { task: { Title: 'answered' } })(response, call, nth);
        });
      });
      await create('meanwhile');
      expect(await perform('move-and-tell', 'meanwhile')).toMatchObject({ status: 'Success' });
      expect(await read('meanwhile')).toMatchObject({ Note: 'by hand', Title: 'answered', Stage: 'Busy' });
    });

    it('a step that fails after a call takes everything back', async () => {
      const reply = json(200, { task: { Title: 'answered' } });
      expect(await performOn('undone', 'tell-and-fail', reply)).toMatchObject({ status: 'Fail', errors: ['Fail: division by zero'] }); // prettier-ignore
      expect(await read('undone')).toMatchObject({ Title: 'a b', Stage: 'New' });
      expect(callsFor('undone')).toHaveLength(1);
    });
  });

  it('a secret is in no answer, no line of the log and no row', async () => {
    const { id } = await performOn('silent', 'fill', json(400, { said: 'planted-secret' }));
    const answers = [
      await api.get(`${executions}/${id}?_verbose=true`),
      await api.get(`${executions}?_verbose=true`),
      await api.get(`${cases}/silent`),
    ];
    const rows = await service.dataSource.query<object[]>('SELECT * FROM executions');
    expect(rows.length).toBeGreaterThan(30);
    const told = [...answers.map(({ text }) => text), ...lines, JSON.stringify(rows)].join('\n');
    expect(told).not.toContain('planted');
    expect(lines.join('')).not.toContain('127.0.0.1:');
  });
});

/** The task that a call is about: the first segment of its path. */
function taskOf({ path }: Call): string {
  return decodeURIComponent(new URL(path, 'http://x').pathname.split('/')[1] ?? '');
}

const move = { name: 'Move', type: 'move_to_stage', stage: 'Busy' };

function definition(url: string): string {
  const tell = { name: 'Tell', type: 'api_call', url: `${url}/{{ID}}` };
  const elsewhere = (url: string): object => ({ ...tell, url, tries: 1 });
  const actions: Readonly<Record<string, readonly object[]>> = {
    Tell: [tell],
    'Move and tell': [move, tell],
    'Tell and fail': [
      tell,
      move,
      { name: 'Fail', type: 'update_fields', set: { Amount: { expression: 'task["Amount"] / 0' } } },
    ],
    'Tell twice': [
      tell,
      { name: 'Fill', type: 'update_fields', set: { Title: 'told' } },
      { ...tell, name: 'Again' },
      move,
    ],
    Ask: [{ ...tell, method: 'GET' }],
    Fill: [
      {
        ...tell,
        method: 'PUT',
        url: `${url}/{{ID}}?t={{Title}}&who={{Assigned To}}&no={{Note}}`,
        headers: { 'X-Token': '{{secret.TOKEN}} of {{ID}}', 'Content-Type': 'application/vnd.x+json' },
        body: {
          deep: [{ tags: '{{Tags}}', open: '{{ Open }}', blank: '{{Note}}' }, 7, null, false],
          amount: '{{Amount}}',
          text: '{{Stage}}: {{Tags}}; {{Amount}}; {{Open}}; {{Note}}',
          url: '{{Task URL}}',
          who: '{{Assigned To}}',
          key: '{{secret.TOKEN}}',
        },
      },
    ],
    Write: [{ ...tell, body: '{{ID}}: {{Title}}; {{secret.TOKEN}}' }],
    Head: [{ ...tell, headers: { 'X-Note': '{{Note}}' } }],
    Missing: [{ ...tell, headers: { 'X-Token': '{{secret.NONE}}' } }],
    Foreign: [{ ...tell, headers: { 'X-Token': '{{secret.OTHER_TOKEN}}' } }],
    Broken: [{ ...tell, headers: { 'X-Token': '{{secret.BROKEN}}' } }],
    Hurry: [{ ...tell, timeout_seconds: 0.4, tries: 2 }],
    Inside: [elsewhere('http://127.0.0.2:4000/')],
    Local: [elsewhere('http://[::1]:4000/')],
    Port: [elsewhere('http://127.0.0.1:25/')],
    Metadata: [elsewhere('http://169.254.169.254/latest')],
    Nowhere: [elsewhere('http://127.0.0.1:4999/')],
  };
  return JSON.stringify({
    workspace: { id: 'acme', name: 'Acme' },
    users: [{ email: 'mina@acme.test' }, { email: 'theo@acme.test' }],
    workflows: [
      {
        id: 'cases',
        name: 'Cases',
        stages: [{ name: 'New' }, { name: 'Busy' }, { name: 'Done', end: true }],
        fields: [
          { name: 'ID', type: 'uniqueId', required: true },
          { name: 'Title', type: 'text', required: true },
          { name: 'Note', type: 'longText' },
          { name: 'Amount', type: 'currency' },
          { name: 'Day', type: 'date' },
          { name: 'Tags', type: 'multipleSelect', options: ['A', 'B'] },
          { name: 'Open', type: 'checkbox' },
          { name: 'Fixed', type: 'text', editable: false },
          { name: 'Files', type: 'file' },
        ],
        actions: Object.entries(actions).map(([name, steps]) => ({
          id: name.toLowerCase().replaceAll(' ', '-'),
          name,
          steps,
        })),
      },
      {
        id: 'parts',
        name: 'Parts',
        stages: [{ name: 'Open' }],
        fields: [
          { name: 'Part', type: 'uniqueId', required: true },
          { name: 'Price', type: 'currency' },
        ],
      },
    ],
    relationships: [
      {
        id: 'parts',
        kind: 'one_to_many',
        from: { workflow: 'cases', name: 'Parts' },
        to: { workflow: 'parts', name: 'Case' },
      },
    ],
  });
}
