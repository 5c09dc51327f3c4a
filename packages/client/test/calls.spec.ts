import { json, type Script, type ScriptedServer, startScripted, cut, cutInBody, silence } from './scripted-server.js'; // prettier-ignore
import { Conflict, createClient, NotFound, NotPossible, PreconditionFailed, TooManyRequests, Unavailable, ValidationError, WtsError } from '../client.js'; // prettier-ignore

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScripted();
});
afterAll(() => {
  server.stop();
});

const client = (deadline = 20_000) => createClient({ url: `${server.url}/`, key: 'wts_key', deadline });
const tasks = (deadline?: number) => client(deadline).workflow('vendors').tasks;
const vendor = json(200, { 'Vendor ID': 'V-1' }, { etag: '"1-a"' });
const refusal = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a call', () => {
  // Rule: GET, PUT, DELETE and every POST with an Idempotency-Key made once a call; 408, 429, 503, network.
  it.each<[string, Script]>([
    ['is cut before it is answered', cut],
    ['is cut in the body of the answer', cutInBody],
    ['is answered with 408', json(408, {})],
    ['is answered with 429', json(429, {})],
    ['is answered with 503', json(503, {})],
    ['is answered with 502, by a proxy', (answer) => answer.writeHead(502).end('<html>')],
  ])('that %s is made again, a POST with the same Idempotency-Key', async (_, script) => {
    server.play(script, script, vendor);
    const saved = await tasks().save({ 'Vendor ID': 'V-1' });
    expect(saved).toEqual({
      task: { 'Vendor ID': 'V-1' },
      etag: '"1-a"',
      isCreated: false,
    });
    const keys = server.asked.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.any(String), keys[0], keys[0]]);
    expect(server.asked.map(({ body }) => body)).toEqual(Array(3).fill('{"Vendor ID":"V-1"}'));

    server.play(script, vendor);
    expect(await tasks().get('V-1')).toEqual({ task: { 'Vendor ID': 'V-1' }, etag: '"1-a"' });
    expect(server.asked).toMatchObject(
      Array(2).fill({ method: 'GET', path: '/api/v1/workflows/vendors/tasks/V-1' }),
    );
  });

  it('takes another Idempotency-Key each time, or the one that is given', async () => {
    server.play(vendor);
    await tasks().save({});
    await tasks().save({});
    await tasks().save({}, { idempotencyKey: 'mine' });
    const [one, two, mine] = server.asked.map(({ headers }) => headers['idempotency-key']);
    expect(one).not.toBe(two);
    expect(mine).toBe('mine');
  });

  it('without one is made again only where nothing was done', async () => {
    const post = () => client().request('POST', '/x', { idempotencyKey: null });
    server.play(json(503, {}), vendor);
    expect(await post()).toMatchObject({ status: 200, body: { 'Vendor ID': 'V-1' } });
    server.play(cut, vendor);
    expect(await refusal(post())).toBeInstanceOf(Unavailable);
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('is not made again where Retry-After is beyond its deadline', async () => {
    for (const after of ['3600', new Date(Date.now() + 3_600_000).toUTCString()]) {
      server.play(json(503, {}, { 'retry-after': after }), vendor);
      expect(await refusal(tasks().get('V-1'))).toMatchObject({ name: 'Unavailable', status: 503 });
      expect(server.asked).toHaveLength(1);
    }
  });

  it('has one deadline for all tries, and says how the last one ended', async () => {
    // Makes the deadline fall into the pause, on a slow machine too; nobody waits for it.
    const slower = { detail: 'slower' };
    server.play(json(429, slower), json(429, slower, { 'x-request-id': 'r-1', 'retry-after': '60' }));
    const storm = await refusal(tasks(30_000).get('V-1'));
    expect(storm).toBeInstanceOf(TooManyRequests);
    expect(storm).toMatchObject({ status: 429, requestId: 'r-1', message: '429: slower (request r-1)' });
    expect(server.asked.length).toBeGreaterThan(1);
    server.play(silence);
    const slow = await refusal(tasks(200).get('V-1'));
    expect(slow).toBeInstanceOf(Unavailable);
    expect(slow).toMatchObject({
      status: 0,
      message: expect.stringMatching(/V-1: no answer within 200 ms$/),
    });
  });

  it('ends with its signal, also in a pause', async () => {
    for (const script of [silence, json(503, {}, { 'retry-after': '5' })]) {
      const stop = new AbortController();
      server.play((...args) => {
        script(...args);
        setImmediate(() => {
          stop.abort(new Error('enough'));
        });
      });
      expect(await refusal(tasks().get('V-1', { signal: stop.signal }))).toEqual(new Error('enough'));
    }
  });

  it('follows no redirect, so its key goes nowhere else', async () => {
    server.play((answer) => answer.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    expect(await refusal(tasks().get('V-1'))).toMatchObject({ name: 'WtsError', status: 302 });
  });

  it('waits until its first try, which was cut off, is answered', async () => {
    const busy = json(409, { type: 'idempotency-key-in-use', detail: 'It is still being answered.' });
    server.play(cut, busy, json(200, { id: 'e', status: 'Success' }));
    const { status, errors } = await client().workflow('vendors').act('V-1', 'approve');
    expect({ status, errors }).toEqual({ status: 'Success', errors: [] });
    server.play(busy);
    expect(await refusal(client().workflow('vendors').act('V-1', 'approve'))).toBeInstanceOf(Conflict);
  });

  it('names what it means: names are encoded, and never become another path', async () => {
    server.play(vendor);
    await tasks().get('a/b?c');
    expect(server.asked[0]?.path).toBe('/api/v1/workflows/vendors/tasks/a%2Fb%3Fc');
    for (const name of ['', '.', '..']) expect(await refusal(tasks().get(name))).toBeInstanceOf(TypeError);
    server.play(json(200, []));
    for await (const _ of tasks().list({ 'A&B[ne]': ['x', null], 'Open?': true, C: undefined }))
      expect(_).toBe(0);
    expect(server.asked[0]?.path).toBe(
      '/api/v1/workflows/vendors/tasks?_limit=500&A%26B%5Bne%5D=x&A%26B%5Bne%5D=&Open%3F=true',
    );
  });
});

describe('a write that was cut off after it was done', () => {
  it('with a version is a POST, whose repetition has the first answer', async () => {
    server.play(cut, vendor);
    await tasks().update({ 'Vendor ID': 'V-1' }, { ifMatch: '"1-a"' });
    expect(server.asked).toMatchObject(Array(2).fill({ method: 'POST', headers: { 'if-match': '"1-a"' } }));
    server.play(vendor);
    await tasks().update({ 'Vendor ID': 'V-1' });
    expect(server.asked).toMatchObject([{ method: 'PUT' }]);
  });

  it('is a deletion where the task is not there any more', async () => {
    const gone = json(404, {});
    server.play(cut, gone);
    await tasks().delete('V-1');
    server.play(gone);
    expect(await refusal(tasks().delete('V-1'))).toBeInstanceOf(NotFound);
    server.play(cut, json(412, {}), gone);
    await tasks().delete('V-1', { ifMatch: '"1-a"' });
    server.play(cut, json(412, {}), vendor);
    expect(await refusal(tasks().delete('V-1', { ifMatch: '"1-a"' }))).toBeInstanceOf(PreconditionFailed);
  });
});

describe('a refusal', () => {
  it('has a class, a status and the request id', async () => {
    const kinds = [
      [401, WtsError], [404, NotFound], [409, Conflict], [412, PreconditionFailed], [500, WtsError],
    ] as const; // prettier-ignore
    for (const [status, kind] of kinds) {
      server.play(json(status, { title: 'T', detail: 'D' }, { 'x-request-id': 'r-2' }));
      const error = await refusal(tasks().save({}));
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({
        name: kind.name,
        status,
        requestId: 'r-2',
        message: `${status}: D (request r-2)`,
      });
      expect(server.asked).toHaveLength(1);
    }
  });

  it('of a payload has errors by field, and `__proto__` is a field like any other', async () => {
    server.play((answer) =>
      answer
        .writeHead(422, { 'content-type': 'application/json' })
        .end('{"errors":{"__proto__":["is odd"],"Risk":["is required","is blank"]}}'),
    );
    const sent = JSON.parse(
      '{"__proto__": "x", "Amount": "12345678901234567890123456789012345678"}',
    ) as object;
    const error = (await refusal(tasks().save(sent))) as ValidationError;
    expect(error).toBeInstanceOf(ValidationError);
    expect(Object.entries(error.errors)).toEqual([
      ['__proto__', ['is odd']],
      ['Risk', ['is required', 'is blank']],
    ]);
    expect(error.message).toBe('422: __proto__ is odd; Risk is required, is blank');
    expect(server.asked[0]?.body).toBe('{"__proto__":"x","Amount":"12345678901234567890123456789012345678"}');
  });

  it('throws a TypeError for a wrong address or path, and for a value that JSON would write as null', async () => {
    server.play();
    const key = 'wts_key';
    expect(() => createClient({ url: `${server.url}/api/v1/`, key })).toThrow('the address without /api/v1');
    await expect(client().request('GET', 'api/v1')).rejects.toThrow('api/v1: a path begins with /');
    for (const [name, value] of Object.entries({ Amount: NaN, Due: new Date('no day') })) {
      const row = { 'Vendor ID': 'V-1', [name]: value };
      const { save, create, update, batch } = tasks();
      const acting = client().workflow('vendors').act('V-1', 'approve', { fields: row });
      for (const call of [save(row), create(row), update(row), acting, batch([row]).next()])
        expect(await refusal(call)).toEqual(new TypeError(`${name}: ${String(value)} cannot be sent`));
    }
    expect(server.asked).toEqual([]);
  });

  it('of an action says what is not met; an execution that failed is an answer', async () => {
    server.play(json(422, { status: 'Fail', errors: ['task_id is required', 'Must be assigned'] }));
    const vendors = client().workflow('vendors');
    const error = await refusal(vendors.act('V-1', 'approve'));
    expect(error).toBeInstanceOf(NotPossible);
    expect(error).toMatchObject({
      unmet: ['task_id is required', 'Must be assigned'],
      message: '422: task_id is required; Must be assigned',
    });
    const base = ['performed_by is not a user of this workspace'];
    server.play(json(422, { status: 'Fail', errors: base }));
    const wrong = await refusal(vendors.act('V-1', 'approve'));
    expect(wrong).toMatchObject({ name: 'ValidationError', errors: { base } });
    server.play(
      json(202, { id: 'e', status: 'Pending' }),
      json(200, { id: 'e', status: 'Fail', errors: ['no'] }),
    );
    const options = { wait: 60, performedBy: 'mina@acme.test', fields: { Reason: 'x' } };
    expect(await vendors.act('V-1', 'approve', options)).toEqual({ id: 'e', status: 'Fail', errors: ['no'] });
    expect(server.asked).toMatchObject([
      {
        method: 'POST',
        headers: { prefer: 'wait=25' },
        body: JSON.stringify({ task_id: 'V-1', action_id: 'approve', performed_by: 'mina@acme.test', fields: { Reason: 'x' } }),
      },
      { method: 'GET', path: '/api/v1/workflows/vendors/executions/e', headers: { prefer: 'wait=25' } },
    ]); // prettier-ignore
  });
});

describe('a list', () => {
  it('goes on until there is no next page, by the cursor only', async () => {
    const link = { link: '<http://inside:3000/elsewhere?_limit=2&_after=c1>; rel="next"' };
    server.play(json(200, [{ n: 1 }, { n: 2 }], link), cut, json(200, [{ n: 3 }]));
    const all: unknown[] = [];
    for await (const task of tasks().list({ _limit: 2 })) all.push(task);
    expect(all).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(server.asked.map(({ path }) => path.split('?')[1])).toEqual(['_limit=2', '_limit=2&_after=c1', '_limit=2&_after=c1']); // prettier-ignore
  });
});

describe('a batch', () => {
  const answered: Script = (answer, { body }) =>
    answer.end(body.split('\n').map((line, at) => JSON.stringify({ row: at + 1, status: 'created', unique_id: line })).join('\n')); // prettier-ignore

  it('sends rows as they come, and tells of each before the last has come', async () => {
    server.play(answered);
    let go: () => void = () => undefined;
    const told = new Promise<void>((resolve) => (go = resolve));
    async function* rows() {
      for (let n = 1; n <= 1500; n += 1) yield { n };
      await told;
      yield { n: 1501 };
    }
    const seen: unknown[] = [];
    for await (const { row, unique_id } of tasks().batch(rows())) {
      seen.push([row, unique_id]);
      if (row === 1500) go();
    }
    expect(seen).toEqual(Array.from({ length: 1501 }, (_, at) => [at + 1, `{"n":${at + 1}}`]));
    expect(server.asked.map(({ body }) => body.split('\n').length)).toEqual([1000, 500, 1]);
    expect(server.asked[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('is not sent again where it was cut off, unless its rows have Unique IDs', async () => {
    const all = async (hasUniqueIds: boolean) => {
      const rows = [];
      for await (const row of tasks().batch([{ n: 1 }, { n: 2 }], { hasUniqueIds })) rows.push(row.row);
      return rows;
    };
    // An answer with fewer lines than rows was cut off.
    const half = (answer: Parameters<Script>[0]) =>
      answer.end('{"row":1,"status":"created","unique_id":"1"}\n');
    server.play(half, answered);
    expect(await refusal(all(false))).toBeInstanceOf(Unavailable);
    server.play(half, cut, answered);
    expect(await all(true)).toEqual([1, 2]);
    server.play(json(503, {}), answered);
    expect(await all(false)).toEqual([1, 2]);
  });

  it('ends what it reads from when nobody reads on', async () => {
    server.play(answered);
    let isEnded = false;
    function* rows() {
      try {
        for (let n = 0; ; n += 1) yield { n };
      } finally {
        isEnded = true;
      }
    }
    for await (const { row } of tasks().batch(rows())) if (row === 10) break;
    expect(isEnded).toBe(true);
    expect(server.asked).toHaveLength(1);
  });
});
