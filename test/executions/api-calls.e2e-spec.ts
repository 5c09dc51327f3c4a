import { collectGarbage } from '../../packages/fair/test/collect-garbage.js';
import { type Answer, answerWith, neverAnswer } from '../support/receiver.js';
import {
  api,
  cases,
  close,
  create,
  dripping,
  end,
  endless,
  executions,
  failed,
  free,
  HASTY_MS,
  headOnly,
  noCall,
  only,
  open,
  perform,
  read,
  receiver,
  service,
  type Shown,
  start,
  success,
} from './calling.js';

describe('8 api_call', () => {
  beforeAll(open);
  afterAll(close);

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
      expect(await perform('call', 'two')).toEqual(failed('its answer is not JSON that the service accepts'));
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
    const slow: [string, string, Answer][] = [
      ['accepts and never answers', 'slow-never', neverAnswer],
      ['says no more than its head', 'slow-head', headOnly],
      ['a byte now and then', 'slow-json', dripping({ 'content-type': 'application/json' })],
      ['a byte now and then of no type', 'slow-typeless', dripping({})],
    ];
    const begun = new Map<string, string>();
    const endOf = (ID: string): ReturnType<typeof end> => end(begun.get(ID) ?? '');

    // They take their time together.
    beforeAll(async () => {
      const tries: [string, string, Answer][] = [
        ...slow.map(([, ID, answer]): [string, string, Answer] => ['hasty', ID, answer]),
        ['hasty-twice', 'late', neverAnswer],
        ['hasty', 'drip', dripping({ 'content-type': 'text/html' })],
      ];
      for (const [action, ID, answer] of tries) {
        receiver.answer(`/${ID}`, answer);
        await create(ID);
        begun.set(ID, await start(action, ID));
      }
    });

    it.each(slow)('ends a try that takes too long: %s', async (_, ID) => {
      expect(await endOf(ID)).toEqual(failed('it took too long'));
      const { body } = await api.get(`${executions}/${begun.get(ID) ?? ''}?_verbose=true`).expect(200);
      const { started, finished } = body as { readonly started: string; readonly finished: string };
      expect(Date.parse(finished) - Date.parse(started)).toBeGreaterThan(HASTY_MS - 10);
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
      expect(await endOf('late')).toEqual(failed('it took too long'));
      const keys = receiver.of('/late').map(({ headers }) => headers['idempotency-key']);
      expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    });

    it('a page that comes byte by byte is not waited for longer than the time-out, and ignored', async () => {
      expect(await endOf('drip')).toEqual(success);
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
        `SELECT errors FROM executions WHERE errors::text LIKE '%the server could not be reached%'`,
      );
      expect(JSON.stringify(row)).not.toContain(String(free));
    });
  });

  describe('on_failure: continue', () => {
    async function stepsOf(id: string): Promise<unknown> {
      const { body } = await api.get(`${executions}/${id}?_verbose=true`).expect(200);
      return (body as { readonly steps: unknown }).steps;
    }

    it.each<[string, Answer, string]>([
      ['a refusal', answerWith(404), 'was answered with status 404'],
      ['a task that is refused', answerWith(200, { task: { Note: 'told', Day: 'soon' } }), 'Day is not a date in YYYY-MM-DD format'], // prettier-ignore
      ['JSON that is too large', answerWith(200, { task: { Note: 'x'.repeat(70_000) } }), 'it is larger than 65536 bytes'], // prettier-ignore
    ])('the step is Fail and the action goes on: %s', async (name, answer, because) => {
      const ID = `lenient-${name.replaceAll(' ', '-')}`;
      receiver.answer(`/${ID}`, answer);
      await create(ID);
      const id = await start('lenient', ID);
      expect(await end(id)).toEqual(success);
      expect(await stepsOf(id)).toEqual([
        { name: 'Tell', status: 'Fail', because },
        { name: 'Fill', status: 'Success' },
      ]);
      expect(await read(ID)).toMatchObject({ Title: 'a b', Day: null, Note: 'a b!' });
      expect(receiver.of(`/${ID}`)).toHaveLength(1);
      const { body } = await api.get(`${cases}/${ID}/history`).expect(200);
      const [ended] = (body as { readonly type: string; readonly data: Shown }[]).filter(({ type }) => type === 'execution.succeeded'); // prettier-ignore
      expect(ended?.data['execution']).toMatchObject({
        errors: [],
        outcomes: [{ name: 'Tell', status: 'Fail', because }, { name: 'Fill' }],
      });
    });

    it('what cannot be sent at all is a failure like others', async () => {
      await create('helpless');
      const id = await start('helpless', 'helpless');
      expect(await end(id)).toEqual(success);
      expect(await stepsOf(id)).toMatchObject([
        { status: 'Fail', because: 'the secret ONLY is not set: WTS_SECRET_ACME__ONLY' },
        { name: 'Fill', status: 'Success' },
      ]);
    });

    it('a later step that fails leaves it Fail, and undoes the others', async () => {
      receiver.answer('/strict/first', answerWith(400));
      receiver.answer('/strict/second', answerWith(400));
      await create('strict');
      const id = await start('strict', 'strict');
      expect(await end(id)).toEqual({ status: 'Fail', errors: ['Again: was answered with status 400'] });
      expect(await stepsOf(id)).toEqual([
        { name: 'Tell', status: 'Fail', because: 'was answered with status 400' },
        { name: 'Fill', status: 'Undone' },
        { name: 'Again', status: 'Fail' },
      ]);
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

  it('a call that was answered stays Success where its task is gone by then', async () => {
    let release: () => void = () => undefined;
    receiver.answer('/gone', (response) => (release = () => response.end()));
    await create('gone');
    const id = await start('call', 'gone');
    await receiver.called('/gone');
    await api.delete(`${cases}/gone`).expect(204);
    release();
    expect(await end(id)).toEqual({ status: 'Fail', errors: ['task was deleted'] });
    expect((await api.get(`${executions}/${id}?_verbose=true`)).body).toMatchObject({
      steps: [{ name: 'Begin', status: 'Skipped' }, { name: 'Tell', status: 'Success' }],
    }); // prettier-ignore
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
