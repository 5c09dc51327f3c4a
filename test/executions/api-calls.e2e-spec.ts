import { type ServerResponse } from 'node:http';
import { readConfig } from '../../src/config.js';
import { WorkspaceEntity } from '../../src/entities/workspace.entity.js';
import { openSecrets } from '../../src/executions/secrets.js';
import { createLogger } from '../../src/lib/logger.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.js';
import {
  type Answer,
  answerWith,
  type Call,
  neverAnswer,
  type Receiver,
  startReceiver,
} from '../support/receiver.js';
import { type Client, startService, type TestService } from '../support/service.js';

// prettier-ignore

const cases = '/api/v1/workflows/cases/tasks';
const executions = '/api/v1/workflows/cases/executions';
const secrets = {
  WTS_SECRET_ACME__TOKEN: 'planted-token-1',
  WTS_SECRET_ACME__TWO_PARTS: 'planted+token/2&3',
  WTS_SECRET_ACME__BROKEN: 'planted-token-4\r\nX-Evil: 1',
  WTS_SECRET_ACME_EU__ONLY: 'planted-token-5',
  WTS_SECRET_ACME_EU_ONLY: 'planted-token-6',
};
// The kinds that a JSON value can have, and what a step can make of each.
const kinds = { amount: '{{Amount}}', count: '{{Count}}', day: '{{Day}}', tags: '{{Tags}}', open: '{{Open}}', files: '{{Files}}', none: '{{Note}}', deep: [{ stage: '{{Stage}}', for: '{{Assigned To}}' }, 1.5, true, null] }; // prettier-ignore

type Ended = { readonly status: string; readonly errors?: readonly string[] };
type Shown = Record<string, unknown>;

/** Cases whose actions have these steps, each an `api_call` named Tell unless it says more. */
function definition(actions: Readonly<Record<string, readonly object[]>>, workspace = 'acme'): string {
  return JSON.stringify({
    workspace: { id: workspace, name: workspace },
    users: [{ email: 'mina@acme.test', first_name: 'Mina', last_name: 'Ray' }, { email: 'theo@acme.test' }],
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
          { name: 'Count', type: 'number' },
          { name: 'Day', type: 'date' },
          { name: 'Tags', type: 'multipleSelect', options: ['A', 'B'] },
          { name: 'Open', type: 'checkbox' },
          { name: 'Fixed', type: 'text', editable: false },
          { name: 'Files', type: 'file' },
        ],
        actions: Object.entries(actions).map(([id, steps]) => ({
          id,
          name: `Do ${id}`,
          steps: steps.map((step) => ({ name: 'Tell', type: 'api_call', ...step })),
        })),
      },
      {
        id: 'parts',
        name: 'Parts',
        stages: [{ name: 'Open' }],
        fields: [{ name: 'Part', type: 'uniqueId', required: true }],
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

const actionsTo = (url: string): Record<string, readonly object[]> => ({
  call: [{ name: 'Begin', type: 'move_to_stage', stage: 'Busy' }, { url: `${url}/{{ID}}` }],
  get: [{ method: 'GET', url: `${url}/{{ID}}` }],
  put: [{ method: 'PUT', url: `${url}/{{ID}}` }],
  patch: [{ method: 'PATCH', url: `${url}/{{ID}}` }],
  delete: [{ method: 'DELETE', url: `${url}/{{ID}}` }],
  templates: [
    {
      url: `${url}/{{ID}}/{{Title}}?note={{Note}}&tags={{Tags}}`,
      headers: { 'X-Title': 'of {{Title}}', 'X-Stage': '{{Stage}}', 'X-Url': '{{Task URL}}' },
      body: 'Case {{ID}} of {{Assigned To}}: {{Title}} {{Amount}}|{{Note}}|',
    },
  ],
  kinds: [{ url: `${url}/{{ID}}`, body: { ...kinds, text: 'of {{ID}}: {{Amount}}' } }],
  typed: [{ url: `${url}/{{ID}}`, headers: { 'content-type': 'application/xml' }, body: '<a/>' }],
  secret: [
    {
      url: `${url}/{{ID}}/{{secret.TOKEN}}`,
      headers: { Authorization: 'Bearer {{secret.TOKEN}}' },
      body: { token: '{{secret.TOKEN}}', text: 'with {{secret.TOKEN}}' },
    },
  ],
  parts: [{ url: `${url}/{{ID}}?key={{secret.two-parts}}` }],
  missing: [{ url: `${url}/{{ID}}`, headers: { 'X-Token': '{{secret.ONLY}}' } }],
  foreign: [{ url: `${url}/{{ID}}`, headers: { 'X-Token': '{{secret.EU_ONLY}}' } }],
  broken: [{ url: `${url}/{{ID}}`, headers: { 'X-Token': '{{secret.BROKEN}}' } }],
  noted: [{ url: `${url}/{{ID}}`, headers: { 'X-Note': '{{Note}}' } }],
  closed: [{ url: 'http://127.0.0.1:1/', tries: 1 }],
  hasty: [{ url: `${url}/{{ID}}`, tries: 1, timeout_seconds: 0.5005 }],
  twice: [{ url: `${url}/{{ID}}`, tries: 2, timeout_seconds: 0.5 }],
  patient: [{ url: `${url}/{{ID}}`, tries: 1, timeout_seconds: 60 }],
  inside: [{ url: 'http://127.0.0.2:4000/{{ID}}' }],
  nobody: [{ url: 'http://127.0.0.1:{{secret.PORT}}/{{ID}}', tries: 2 }],
  chain: [
    { name: 'First', url: `${url}/{{ID}}/first` },
    { name: 'Second', url: `${url}/{{ID}}/second`, body: { title: '{{Title}}' } },
    { name: 'Fill', type: 'update_fields', set: { Note: '{{Title}}!' } },
  ],
  move: [{ name: 'Move', type: 'move_to_stage', stage: 'Done' }],
});

describe('8 api_call', () => {
  const lines: string[] = [];
  let receiver: Receiver;
  let service: TestService;
  let api: Client;
  let free = 0;

  beforeAll(async () => {
    receiver = await startReceiver();
    free = await freePort();
    const logger = createLogger('trace', { write: (line) => void lines.push(line) });
    const environment = {
      WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
      WTS_SECRET_ACME__PORT: String(free),
      ...secrets,
    };
    service = await startService(environment, logger);
    await service.apply(definition(actionsTo(receiver.url)));
    api = service.client(await service.key('acme'));
  });
  afterAll(async () => {
    await service.stop();
    receiver.stop();
  });

  /** A new case, whose calls go to the path of its ID. */
  async function create(ID: string, further: object = {}): Promise<void> {
    await api.post(cases, { ID, Title: 'a b', Amount: '10.5', Fixed: 'f', ...further }).expect(201);
  }

  async function start(action: string, ID: string, performer?: string): Promise<string> {
    const sent = { task_id: ID, action_id: action, performed_by: performer ?? null };
    return ((await api.post(executions, sent).expect(202)).body as { id: string }).id;
  }

  async function end(id: string): Promise<Ended> {
    for (const deadline = Date.now() + 50_000; Date.now() < deadline;) {
      const { body } = await api.get(`${executions}/${id}`).set('Prefer', 'wait=20').expect(200);
      const { status, errors } = body as Ended;
      if (status !== 'Pending') return { status, ...(errors && { errors }) };
    }
    throw new Error('still Pending');
  }

  /** Creates a case, does the action on it and says how that ended. */
  async function perform(
    action: string,
    ID: string,
    further: object = {},
    performer?: string,
  ): Promise<Ended> {
    await create(ID, further);
    return end(await start(action, ID, performer));
  }

  async function read(ID: string): Promise<Shown> {
    return (await api.get(`${cases}/${ID}`).expect(200)).body as Shown;
  }

  async function only(path: string): Promise<Call> {
    const [call, ...others] = await receiver.called(path);
    expect(others).toEqual([]);
    if (!call) throw new Error('no call');
    return call;
  }

  const success = { status: 'Success' };
  const failed = (reason: string): Ended => ({ status: 'Fail', errors: [`Tell: ${reason}`] });

  describe('what is sent', () => {
    it('POST by default, of {"action","action_id","user","task"}: the task as a response shows it, as the steps so far have made it', async () => {
      await api.post('/api/v1/workflows/parts/tasks', { Part: 'p1' }).expect(201);
      expect(await perform('call', 'sent', { Parts: [{ Part: 'p1' }], Tags: ['B'] }, 'mina@acme.test')).toEqual(success); // prettier-ignore
      const call = await only('/sent');
      expect([call.method, call.path, call.headers['content-type']]).toEqual(['POST', '/sent', 'application/json']); // prettier-ignore
      const { user, ...rest } = JSON.parse(call.body) as { user: Shown };
      expect(user).toEqual({ id: expect.stringMatching(/./) as unknown, email: 'mina@acme.test', first_name: 'Mina', last_name: 'Ray' }); // prettier-ignore
      const task = await read('sent');
      expect(task).toMatchObject({ Stage: 'Busy', Parts: [{ Part: 'p1' }] });
      expect(rest).toEqual({ action: 'Do call', action_id: 'call', task });
    });

    it('`user` is null where the key itself acts, and its names are where it has none', async () => {
      expect(await perform('call', 'key')).toEqual(success);
      expect(JSON.parse((await only('/key')).body)).toMatchObject({ user: null });
      expect(await perform('call', 'theo', {}, 'theo@acme.test')).toEqual(success);
      expect(JSON.parse((await only('/theo')).body)).toMatchObject({
        user: { email: 'theo@acme.test', first_name: null, last_name: null },
      });
    });

    it.each(['PUT', 'PATCH', 'DELETE'])('method: %s, with the same body', async (method) => {
      expect(await perform(method.toLowerCase(), method)).toEqual(success);
      const call = await only(`/${method}`);
      expect(call.method).toBe(method);
      expect(JSON.parse(call.body)).toMatchObject({ task: { ID: method } });
    });

    it('method: GET, without a body', async () => {
      expect(await perform('get', 'got')).toEqual(success);
      expect(await only('/got')).toMatchObject({ method: 'GET', body: '' });
    });

    it('templates in url, headers and body; in a url inserted values are percent-encoded', async () => {
      const further = { Title: 'a/b c?d=é&#%', Note: 'x y\n{{Title}}', Tags: ['A', 'B'], 'Assigned To': 'mina@acme.test' }; // prettier-ignore
      expect(await perform('templates', 'tmpl', further)).toEqual(success);
      const call = await only('/tmpl/');
      expect(call.path).toBe(
        '/tmpl/a%2Fb%20c%3Fd%3D%C3%A9%26%23%25?note=x%20y%0A%7B%7BTitle%7D%7D&tags=A%2C%20B',
      );
      expect([call.headers['x-title'], call.headers['x-stage'], call.headers['x-url']]).toEqual([
        'of a/b c?d=é&#%',
        'New',
        (await read('tmpl'))['Task URL'],
      ]);
      expect(call.body).toBe('Case tmpl of mina@acme.test: a/b c?d=é&#% 10.50|x y\n{{Title}}|');
      expect(call.headers['content-type']).toBe('text/plain; charset=utf-8');
    });

    it('a value that is blank leaves nothing', async () => {
      expect(await perform('templates', 'blank', { Amount: null })).toEqual(success);
      const call = await only('/blank/');
      expect(call.path).toBe('/blank/a%20b?note=&tags=');
      expect(call.body).toBe('Case blank of : a b ||');
    });

    it.each(['.', '..'])('a value of %s leads to no other path', async (Title) => {
      expect(await perform('templates', `dots${Title.length}`, { Title })).toEqual(
        failed('its URL has a part that is . or ..'),
      );
      expect(receiver.of('/dots')).toEqual([]);
      expect(receiver.calls.filter(({ path }) => path.startsWith('/?'))).toEqual([]);
    });

    it('in a mapping a template that is the whole string keeps its JSON type', async () => {
      const Files = [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'AAAA' }];
      expect(await perform('kinds', 'kinds', { Count: '1.5', Day: '2026-02-28', Tags: ['B'], Open: true, Files })).toEqual(success); // prettier-ignore
      const task = await read('kinds');
      expect(JSON.parse((await only('/kinds')).body)).toEqual({
        amount: '10.50',
        count: task['Count'],
        day: '2026-02-28',
        tags: ['B'],
        open: true,
        files: task['Files'],
        none: null,
        deep: [{ stage: 'New', for: null }, 1.5, true, null],
        text: 'of kinds: 10.50',
      });
    });

    it('a Content-Type of its own', async () => {
      expect(await perform('typed', 'typed')).toEqual(success);
      expect(await only('/typed')).toMatchObject({
        headers: { 'content-type': 'application/xml' },
        body: '<a/>',
      });
    });

    it.each([
      ['CR and LF', 'a\r\nX-Evil: 1'],
      ['LF', 'a\nb'],
      ['a character that is not Latin-1', '5 €'],
    ])('a header value with %s fails the step, and nothing is sent', async (name, Note) => {
      const ID = name.replaceAll(' ', '-');
      expect(await perform('noted', ID, { Note })).toEqual(failed('the header x-note cannot be sent'));
      expect(receiver.of(`/${ID}`)).toEqual([]);
    });

    it('a header value of Latin-1 is sent as such', async () => {
      expect(await perform('noted', 'latin', { Note: 'café ÿ' })).toEqual(success);
      expect((await only('/latin')).headers['x-note']).toBe('café ÿ');
    });

    it('asks for an answer that is not compressed, and says who it is', async () => {
      expect(await perform('call', 'plain')).toEqual(success);
      expect((await only('/plain')).headers).toMatchObject({
        'accept-encoding': 'identity',
        'user-agent': 'workflow-task-service',
        'idempotency-key': expect.stringMatching(/^[\w-]{16}\.1$/) as unknown,
      });
    });
  });

  describe('secrets', () => {
    it('come from WTS_SECRET_<WORKSPACE>__<NAME>, upper case, - as _', async () => {
      expect(await perform('secret', 'secret')).toEqual(success);
      const call = await only('/secret/');
      expect([call.path, call.headers['authorization']]).toEqual(['/secret/planted-token-1', 'Bearer planted-token-1']); // prettier-ignore
      expect(JSON.parse(call.body)).toEqual({ token: 'planted-token-1', text: 'with planted-token-1' });
      expect(await perform('parts', 'parts')).toEqual(success);
      const { path } = await only('/parts');
      expect(new URLSearchParams(path.split('?')[1]).get('key')).toBe('planted+token/2&3');
    });

    it('of this workspace only', async () => {
      expect(await perform('missing', 'only')).toEqual(
        failed('the secret ONLY is not set: WTS_SECRET_ACME__ONLY'),
      );
      // The secret ONLY of acme-eu, of which acme might think as EU_ONLY of its own.
      expect(await perform('foreign', 'eu-only')).toEqual(failed('the secret EU_ONLY is not set: WTS_SECRET_ACME__EU_ONLY')); // prettier-ignore
      expect([...receiver.of('/only'), ...receiver.of('/eu-only')]).toEqual([]);
    });

    it('by one underscore do not count; a start names what would, and never a value', async () => {
      const { manager } = service.dataSource;
      // Such ids are no longer given.
      await manager.query(`INSERT INTO workspaces (slug, name, version) SELECT slug, slug, 1 FROM unnest(ARRAY['acme-eu', 'north', 'north-']) slug`); // prettier-ignore
      const environment = {
        WTS_SECRET_ACME_EU_TOKEN: 'planted-token-7',
        WTS_SECRET_NOBODY_TOKEN: 'planted-token-8',
        WTS_SECRET_NORTH__TOKEN: 'planted-token-9',
      };
      const told: string[] = [];
      const logger = createLogger('warn', { write: (line) => void told.push((JSON.parse(line) as { msg: string }).msg) }); // prettier-ignore
      const known = await openSecrets(
        manager.getRepository(WorkspaceEntity),
        readConfig(environment),
        logger,
      );
      expect(told).toEqual([
        'WTS_SECRET_ACME_EU_TOKEN does not count: call it WTS_SECRET_ACME__EU_TOKEN or WTS_SECRET_ACME_EU__TOKEN',
        'WTS_SECRET_NOBODY_TOKEN does not count: call it WTS_SECRET_<WORKSPACE>__<NAME>',
        'WTS_SECRET_NORTH__TOKEN does not count: workspace north- may be meant, whose secrets cannot be told from others',
      ]);
      for (const workspace of ['acme', 'acme-eu', 'north', 'north-'])
        for (const name of ['TOKEN', 'EU_TOKEN', '_TOKEN'])
          expect(() => known.value(workspace, name)).toThrow(
            /is not set: WTS_SECRET_|cannot be told from others/,
          );
    });

    it('are why no new workspace has an id with two hyphens in a row, or one at an end; others stay', async () => {
      const definitionOf = (id: string): string => `workspace: { id: ${id}, name: North }\nworkflows: []`;
      for (const id of ['north--sea', 'south-', '-south'])
        await expect(service.apply(definitionOf(id))).rejects.toThrow(
          /workspace\.id: begins or ends with -, or holds two/,
        );
      await service.apply(definitionOf('north-'));
    });

    it('may break no header', async () => {
      expect(await perform('broken', 'broken')).toEqual(failed('the header x-token cannot be sent'));
      expect(receiver.of('/broken')).toEqual([]);
    });

    it('are never shown by any answer, log or table, whatever the other side does with them', async () => {
      // An echo, as debugging services give it.
      receiver.answer('/leak', (response, { headers, body, path }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ headers, body, path, task: { Note: 'told' } }));
      });
      receiver.answer('/refused-leak', (response, { headers }) => {
        response.writeHead(400, { 'x-token': headers.authorization ?? '' }).end(headers.authorization);
      });
      expect(await perform('secret', 'leak')).toEqual(success);
      expect(await perform('secret', 'refused-leak')).toEqual(failed('was answered with status 400'));
      expect(await read('leak')).toMatchObject({ Note: 'told' });
      const shown = await Promise.all([
        api.get(`${executions}?_verbose=true`),
        api.get(`${cases}?_limit=500`),
        api.get(`${cases}/leak/actions?_explain=true`),
        api.get(`${cases}/leak/comments`),
      ]);
      for (const { status, text } of shown) expect([status, text]).toEqual([200, expect.not.stringMatching(/planted.token/)]); // prettier-ignore
      expect(lines.join('')).toContain(executions.replace('cases', ':workflow_id'));
      expect(lines.join('')).not.toMatch(/planted.token/);
      for (const [table, text] of await tables()) expect([table, text]).toEqual([table, expect.not.stringMatching(/planted.token/)]); // prettier-ignore
    });

    async function tables(): Promise<[string, string][]> {
      const names = await service.dataSource.query<{ name: string }[]>(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
      );
      expect(names.length).toBeGreaterThan(15);
      return Promise.all(
        names.map(async ({ name }): Promise<[string, string]> => {
          const rows = await service.dataSource.query<{ row: string }[]>(
            `SELECT t::text AS row FROM "${name}" t`,
          );
          return [name, rows.map(({ row }) => row).join('\n')];
        }),
      );
    }
  });

  describe('what is answered', () => {
    it.each([200, 201, 202, 204, 226])('%i goes on', async (status) => {
      receiver.answer(`/s${status}`, answerWith(status));
      expect(await perform('call', `s${status}`)).toEqual(success);
      expect(await read(`s${status}`)).toMatchObject({ Stage: 'Busy' });
    });

    it('a JSON body {"task":{…}} updates those fields, Stage and Assigned To', async () => {
      const task = { Title: 'told', Amount: 3.1, Count: '7.25', Day: '2026-02-28', Tags: ['B', 'A'], Open: true, Stage: 'Done', 'Assigned To': 'THEO@acme.test' }; // prettier-ignore
      receiver.answer('/write', answerWith(200, { task, further: { ID: 'ignored' } }));
      expect(await perform('call', 'write')).toEqual(success);
      expect(await read('write')).toMatchObject({ ...task, Amount: '3.10', Tags: ['A', 'B'], 'Assigned To': 'theo@acme.test', Fixed: 'f' }); // prettier-ignore
    });

    it('keeps every digit of a number', async () => {
      const digits = '12345678901234567890.12';
      receiver.answer('/digits', answerWith(200, `{"task":{"Amount":${digits}}}`));
      expect(await perform('call', 'digits')).toEqual(success);
      expect(await read('digits')).toMatchObject({ Amount: digits });
    });

    it('an echo works: `Task URL`, relationship and file keys are ignored', async () => {
      const Files = [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'AAAA' }];
      await api.post('/api/v1/workflows/parts/tasks', { Part: 'p2' }).expect(201);
      receiver.answer('/echo', (response, { body }) => {
        const { task } = JSON.parse(body) as { task: Shown };
        answerWith(200, { task: { ...task, Title: 'told', Parts: [], Files: 'none', 'Task URL': 5 } })(response, noCall, 0); // prettier-ignore
      });
      expect(await perform('call', 'echo', { Files, Parts: [{ Part: 'p2' }] })).toEqual(success);
      expect(await read('echo')).toMatchObject({ Title: 'told', Parts: [{ Part: 'p2' }], Files: [{ filename: 'a.txt' }] }); // prettier-ignore
    });

    it('steps after it see what it wrote', async () => {
      receiver.answer('/chain/first', answerWith(200, { task: { Title: 'from first' } }));
      receiver.answer('/chain/second', answerWith(200, { task: { Title: 'from second' } }));
      expect(await perform('chain', 'chain')).toEqual(success);
      expect(JSON.parse((await only('/chain/second')).body)).toEqual({ title: 'from first' });
      expect(await read('chain')).toMatchObject({ Title: 'from second', Note: 'from second!' });
      const keys = receiver.of('/chain').map(({ headers }) => String(headers['idempotency-key']));
      expect(keys.map((key) => key.slice(16))).toEqual(['.0', '.1']);
      expect(keys[0]?.slice(0, 16)).toBe(keys[1]?.slice(0, 16));
    });

    it.each([
      ['unknown', { Colour: 1 }, 'Colour is not a field of this workflow'],
      ['control', { '\u0000': 1 }, /is not a field of this workflow$/],
      ['other-id', { ID: 'other' }, 'ID cannot be changed by a step'],
      ['date', { Day: 'soon' }, 'Day is not a date in YYYY-MM-DD format'],
      ['required', { Title: '' }, 'Title is required'],
      ['frozen', { Fixed: 'other' }, 'Fixed cannot be changed after creation'],
      ['stage', { Stage: 'None' }, /^Stage /],
      ['user', { 'Assigned To': 'no@acme.test' }, /^Assigned To /],
      ['nul', { Title: 'a\u0000b' }, /^Title /],
    ])('the usual validation: %s fails the step, and nothing changes', async (ID, task, reason) => {
      receiver.answer(`/${ID}`, answerWith(200, { task: { Note: 'told', ...task } }));
      const { status, errors } = await perform('call', ID);
      expect([status, errors?.length]).toEqual(['Fail', 1]);
      const [error = ''] = errors ?? [];
      expect(error.slice(0, 6)).toBe('Tell: ');
      expect(error.slice(6)).toMatch(reason instanceof RegExp ? reason : new RegExp(`^${reason}$`));
      expect(await read(ID)).toMatchObject({ Stage: 'New', Title: 'a b', Note: null, Fixed: 'f' });
      expect(receiver.of(`/${ID}`)).toHaveLength(1);
    });

    it.each<[string, Answer]>([
      ['by its type', answerWith(200, { task: { Note: 'x'.repeat(70_000) } })],
      ['of a type like it', answerWith(200, ' '.repeat(70_000), { 'content-type': 'application/vnd.x+json; charset=utf-8' })], // prettier-ignore
      ['by how it begins', answerWith(200, ` {"task":{"Note":"${'x'.repeat(70_000)}"}}`)],
      ['that never ends', endless({ 'content-type': 'application/json' }, '{"task":{')],
    ])('JSON over 64 KB fails the step: %s', async (name, answer) => {
      const ID = `big-${name.replaceAll(' ', '-')}`;
      receiver.answer(`/${ID}`, answer);
      expect(await perform('call', ID)).toEqual(failed('it is larger than 65536 bytes'));
      expect(receiver.of(`/${ID}`)).toHaveLength(1);
    });

    it('64 KB of JSON do not', async () => {
      const body = `{"task":{"Note":"${'x'.repeat(9000)}"}}`.padEnd(65_536);
      receiver.answer('/full', answerWith(200, body));
      expect(await perform('call', 'full')).toEqual(success);
      expect((await read('full'))['Note']).toHaveLength(9000);
    });

    it.each<[string, Answer]>([
      ['nothing', answerWith(200)],
      ['a page', answerWith(200, '<html>', { 'content-type': 'text/html' })],
      ['a page that says it is JSON', answerWith(200, '<html>', { 'content-type': 'application/json' })],
      [
        'bytes that are no UTF-8',
        answerWith(200, '\u00ff'.repeat(3), { 'content-type': 'application/json; x' }),
      ],
      ['a large page', answerWith(200, 'x'.repeat(200_000), { 'content-type': 'text/html' })],
      ['a large text of no type', answerWith(200, 'x'.repeat(200_000))],
      ['a page that never ends', endless({ 'content-type': 'text/html' }, 'x')],
      ['a text of no type that never ends', endless({}, 'x')],
      ['JSON without a task', answerWith(200, [{ task: { Title: 'no' } }])],
      ['a task that is null', answerWith(200, { task: null })],
    ])('what is not JSON is ignored, whatever its size: %s', async (name, answer) => {
      const ID = `not-${name.replaceAll(' ', '-')}`;
      receiver.answer(`/${ID}`, answer);
      expect(await perform('call', ID)).toEqual(success);
      expect(await read(ID)).toMatchObject({ Stage: 'Busy', Title: 'a b' });
      expect(receiver.of(`/${ID}`)).toHaveLength(1);
    });

    it('JSON that says a thing twice, of which none can be true, fails the step', async () => {
      receiver.answer('/two', answerWith(200, '{"task":{"Title":"x"},"task":{"Title":"y"}}'));
      expect(await perform('call', 'two')).toEqual(failed('its answer is JSON that cannot be taken'));
    });
  });

  describe('tries', () => {
    const keysOf = (ID: string): unknown[] =>
      receiver.of(`/${ID}`).map(({ headers }) => headers['idempotency-key']);
    const gapsOf = (ID: string): number[] => {
      const times = receiver.of(`/${ID}`).map(({ at }) => at);
      return times.slice(1).map((at, index) => at - (times[index] ?? 0));
    };

    it.each<[string, Answer]>([
      ['408', answerWith(408)],
      ['429', answerWith(429)],
      ['500', answerWith(500)],
      ['502', answerWith(502)],
      ['503', answerWith(503)],
      ['a connection that breaks', (response) => response.socket?.destroy()],
      ['an answer that breaks off', (response) => response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50' }).write('{"task"', () => response.destroy())], // prettier-ignore
    ])(
      'E13 %s is tried again, 3 times by default, with growing gaps, under the same key',
      async (name, answer) => {
        const ID = `again-${name.replaceAll(' ', '-')}`;
        receiver.answer(`/${ID}`, (response, call, earlier) => {
          if (earlier < 2) answer(response, call, earlier);
          else answerWith(200, { task: { Note: 'third' } })(response, call, earlier);
        });
        await create(ID);
        const id = await start('call', ID);
        expect(await end(id)).toEqual(success);
        expect(keysOf(ID)).toEqual([`${id}.1`, `${id}.1`, `${id}.1`]);
        const [first = 0, second = 0] = gapsOf(ID);
        expect(first).toBeGreaterThan(370);
        expect(second).toBeGreaterThan(745);
        expect(await read(ID)).toMatchObject({ Note: 'third', Stage: 'Busy' });
      },
    );

    it('E13 the last failure is the step’s, with its status alone', async () => {
      receiver.answer('/never-503', answerWith(503, 'planted-body'));
      expect(await perform('call', 'never-503')).toEqual(failed('was answered with status 503'));
      expect(receiver.of('/never-503')).toHaveLength(3);
      expect(await read('never-503')).toMatchObject({ Stage: 'New' });
    });

    it('as often as the step says', async () => {
      receiver.answer('/tries', answerWith(500));
      expect(await perform('twice', 'tries')).toEqual(failed('was answered with status 500'));
      expect(receiver.of('/tries')).toHaveLength(2);
    });

    it.each([301, 302, 307, 308, 304, 400, 401, 403, 404, 405, 409, 410, 422, 451])(
      'E13 %i fails at once, after one call',
      async (status) => {
        receiver.answer(
          `/at-once-${status}`,
          answerWith(status, '', { location: `${receiver.url}/elsewhere` }),
        );
        expect(await perform('call', `at-once-${status}`)).toEqual(
          failed(`was answered with status ${status}`),
        );
        expect(receiver.of(`/at-once-${status}`)).toHaveLength(1);
        expect(receiver.of('/elsewhere')).toEqual([]);
      },
    );

    it.each([
      ['seconds', () => '2'],
      // A date has no parts of a second.
      ['a date', () => new Date(Date.now() + 3000).toUTCString()],
    ])('E13 Retry-After is waited for: %s', async (name, value) => {
      const ID = `after-${name.replaceAll(' ', '-')}`;
      let told = Infinity;
      receiver.answer(`/${ID}`, (response, call, earlier) => {
        told = Math.min(told, Date.now());
        answerWith(earlier === 0 ? 429 : 200, '', { 'retry-after': value() })(response, call, earlier);
      });
      expect(await perform('call', ID)).toEqual(success);
      expect(receiver.of(`/${ID}`)).toHaveLength(2);
      expect(gapsOf(ID)[0]).toBeGreaterThan(1980);
    });

    it.each(['0', '-5', '1.5', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', ''])(
      'a Retry-After of "%s" makes no gap shorter',
      async (value) => {
        const ID = `odd-${Buffer.from(value).toString('hex')}`;
        receiver.answer(`/${ID}`, (response, call, earlier) => {
          answerWith(earlier === 0 ? 503 : 200, '', { 'retry-after': value })(response, call, earlier);
        });
        expect(await perform('call', ID)).toEqual(success);
        expect(gapsOf(ID)[0]).toBeGreaterThan(370);
      },
    );

    it('who asks to be left alone for hours is: the step fails at once', async () => {
      receiver.answer('/hours', answerWith(503, '', { 'retry-after': '7200' }));
      expect(await perform('call', 'hours')).toEqual(failed('was answered with status 503'));
      expect(receiver.of('/hours')).toHaveLength(1);
    });
  });

  describe('E12 time', () => {
    it.each<[string, Answer]>([
      ['accepts and never answers', neverAnswer],
      ['says no more than its head', headOnly],
      ['a byte now and then', dripping({ 'content-type': 'application/json' })],
      ['a byte now and then of no type', dripping({})],
    ])('ends a try that takes too long: %s', async (name, answer) => {
      const ID = `slow-${name.replaceAll(' ', '-')}`;
      receiver.answer(`/${ID}`, answer);
      const begun = performance.now();
      expect(await perform('hasty', ID)).toEqual(failed('it took too long'));
      expect(performance.now() - begun).toBeGreaterThan(490);
      expect(receiver.of(`/${ID}`)).toHaveLength(1);
    });

    it('ends such a try whatever the process collects as garbage meanwhile', async () => {
      receiver.answer('/garbage', neverAnswer);
      await create('garbage');
      const id = await start('hasty', 'garbage');
      await receiver.called('/garbage');
      await collectGarbage();
      expect(await end(id)).toEqual(failed('it took too long'));
    });

    it('a try that took too long is followed by another, under the same key', async () => {
      receiver.answer('/late', neverAnswer);
      expect(await perform('twice', 'late')).toEqual(failed('it took too long'));
      const keys = receiver.of('/late').map(({ headers }) => headers['idempotency-key']);
      expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    });

    it('a page that comes byte by byte is not waited for longer than the time-out, and ignored', async () => {
      receiver.answer('/drip', dripping({ 'content-type': 'text/html' }));
      expect(await perform('hasty', 'drip')).toEqual(success);
    });

    it('reads little more than 64 KB of a body without end, and hangs up', async () => {
      let closed: Promise<number> | undefined;
      receiver.answer('/flood', (response, call, earlier) => {
        const { socket } = response;
        closed = new Promise((resolve) => socket?.once('close', () => { resolve(socket.bytesWritten); })); // prettier-ignore
        endless({ 'content-type': 'application/json' }, '{"task":{')(response, call, earlier);
      });
      expect(await perform('patient', 'flood')).toEqual(failed('it is larger than 65536 bytes'));
      // What the other side wrote stood in buffers of the system, some megabytes at most.
      expect(await closed).toBeLessThan(20_000_000);
    });
  });

  describe('what cannot be reached', () => {
    it('a refused address fails at once, by the same guard as remoteUrl', async () => {
      expect(await perform('inside', 'inside')).toEqual(
        failed('its address is not allowed (WTS_OUTBOUND_ALLOW)'),
      );
      expect(await perform('closed', 'closed')).toEqual(failed('the port in its URL is not allowed'));
    });

    it('a port where nobody listens is tried again, and its address told to nobody', async () => {
      expect(await perform('nobody', 'nobody')).toEqual(failed('the server could not be reached'));
      const [row] = await service.dataSource.query<object[]>(
        `SELECT errors FROM executions WHERE 'Tell: the server could not be reached' = ANY (errors)`,
      );
      expect(JSON.stringify(row)).not.toContain(String(free));
    });
  });

  it('what runs meanwhile sees nothing of it: the task changes at the end, once', async () => {
    let release: () => void = () => undefined;
    receiver.answer('/held', (response) => (release = () => response.end()));
    await create('held');
    const before = await api.get(`${cases}/held`);
    const id = await start('call', 'held');
    await receiver.called('/held');
    expect((await api.get(`${executions}/${id}?_verbose=true`)).body).toMatchObject({
      status: 'Pending',
      steps: [],
    });
    const during = await api.get(`${cases}/held`);
    expect([during.body, during.headers['etag']]).toEqual([before.body, before.headers['etag']]);
    release();
    expect(await end(id)).toEqual(success);
    const after = await api.get(`${cases}/held`);
    expect(Number(/"(\d+)-/.exec(String(after.headers['etag']))?.[1])).toBe(
      Number(/"(\d+)-/.exec(String(before.headers['etag']))?.[1]) + 1,
    );
  });

  it('calls of one task wait for each other, those of many do not', async () => {
    const release: (() => void)[] = [];
    receiver.answer('/side', (response) => release.push(() => response.end()));
    await Promise.all(['side-1', 'side-2', 'side-3'].map((ID) => create(ID)));
    const ids = await Promise.all(['side-1', 'side-2', 'side-3'].map((ID) => start('call', ID)));
    const second = await start('call', 'side-1');
    await receiver.called('/side', 3);
    expect(receiver.of('/side').map(({ path }) => path).sort()).toEqual(['/side-1', '/side-2', '/side-3']); // prettier-ignore
    for (const go of release.splice(0)) go();
    await receiver.called('/side', 4);
    for (const go of release.splice(0)) go();
    expect(await Promise.all([...ids, second].map(end))).toEqual([success, success, success, success]);
  });
});

describe.each(['within the process', ...(hasRedis() || process.env['CI'] ? ['by Bull'] : [])])(
  'E12 systems that hang, executions %s',
  (ground) => {
    let receiver: Receiver;
    let quick: Receiver;
    let redis: TestRedis | undefined;
    let service: TestService;

    beforeAll(async () => {
      receiver = await startReceiver();
      quick = await startReceiver();
      redis = ground === 'by Bull' ? await startRedis() : undefined;
      service = await startService({
        WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
        ...(redis && { REDIS_URL: redis.url }),
      });
      for (const workspace of ['acme', 'other'])
        await service.apply(
          definition(
            {
              ...actionsTo(receiver.url),
              quick: [{ url: `${quick.url}/{{ID}}` }],
              slow: [{ url: `${quick.url}/{{ID}}`, timeout_seconds: 60 }],
            },
            workspace,
          ),
        );
    });
    afterAll(async () => {
      await service.stop();
      await redis?.stop();
      receiver.stop();
      quick.stop();
    });

    it('keep no execution of others from its end, nor one that calls a system that answers', async () => {
      const hanging = 300;
      receiver.answer('/hang', neverAnswer);
      const acme = service.client(await service.key('acme'));
      const other = service.client(await service.key('other'));
      await Promise.all(Array.from({ length: hanging }, (_, n) => begin(acme, 'patient', `hang-${n}`)));
      await receiver.called('/hang', 60);
      for (const api of [other, acme]) {
        expect(await ended(api, 'move', 'moved')).toMatchObject({ status: 'Success' });
        expect(await ended(api, 'quick', 'quick')).toMatchObject({ status: 'Success' });
      }
      const [{ count } = { count: '' }] = await service.dataSource.query<{ count: string }[]>(
        `SELECT count(*) FROM executions WHERE status = 'Pending'`,
      );
      expect(count).toBe(String(hanging));
    }, 60_000);

    it('have a share of the memory; what is beyond it is put off, not begun, and carried out later', async () => {
      const release: (() => void)[] = [];
      quick.answer('/large', (response) => release.push(() => response.end()));
      const other = service.client(await service.key('other'));
      // Each holds 0.4 MB, and the receiver's share are 16 MB.
      const Note = 'x'.repeat(200_000);
      const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => begin(other, 'slow', `large-${n}`, { Note }))); // prettier-ignore
      await quick.called('/large', 30);
      expect(await ended(other, 'move', 'moved-2')).toMatchObject({ status: 'Success' });
      expect(quick.of('/large').length).toBeLessThan(50);
      quick.answer('/large', (response) => response.end());
      for (const go of release) go();
      for (const id of ids) expect(await end(other, id)).toMatchObject({ status: 'Success' });
    }, 60_000);

    async function begin(
      api: Client,
      action_id: string,
      task_id: string,
      more: object = {},
    ): Promise<string> {
      await api.post(cases, { ID: task_id, Title: 't', ...more }).expect(201);
      return ((await api.post(executions, { task_id, action_id }).expect(202)).body as { id: string }).id;
    }

    async function ended(api: Client, action_id: string, task_id: string): Promise<unknown> {
      await api.post(cases, { ID: task_id, Title: 't' }).expect(201);
      return (await api.post(executions, { task_id, action_id }).set('Prefer', 'wait=5')).body;
    }

    async function end(api: Client, id: string): Promise<unknown> {
      return (await api.get(`${executions}/${id}`).set('Prefer', 'wait=20').expect(200)).body;
    }
  },
);

const noCall: Call = { method: '', path: '', headers: {}, body: '', at: 0 };

/** A body that goes on until the other side hangs up. */
function endless(headers: Record<string, string>, begin: string): Answer {
  return (response) => {
    response.writeHead(200, headers);
    const chunk = 'x'.repeat(16_384);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more).on('error', () => undefined);
    response.write(begin);
    more();
  };
}

function headOnly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
}

/** A body of a byte every 50 ms. */
function dripping(headers: Record<string, string>): Answer {
  return (response) => {
    response.writeHead(200, headers);
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => {
      clearInterval(timer);
    });
  };
}

async function freePort(): Promise<number> {
  const nobody = await startReceiver();
  nobody.stop();
  return Number(new URL(nobody.url).port);
}
