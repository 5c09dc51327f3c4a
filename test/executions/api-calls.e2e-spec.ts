import { type Answer, answerWith, neverAnswer } from '../support/receiver.js';
import {
  actionsTo,
  api,
  cases,
  create,
  definition,
  end,
  endless,
  executions,
  failed,
  free,
  lines,
  only,
  perform,
  read,
  receiver,
  service,
  type Shown,
  start,
  stepsOf,
  success,
} from './calling.js';

describe('answers', () => {
  it('any 2xx is a success', async () => {
    receiver.answer('/226', answerWith(226));
    expect(await perform('call', '226')).toEqual(success);
    expect(await read('226')).toMatchObject({ Stage: 'Busy' });
  });

  it('a JSON body {"task":{…}} updates those fields, Stage and Assigned To, and keeps every digit', async () => {
    const task = { Title: 'told', Count: '7.25', Day: '2026-02-28', Tags: ['B', 'A'], Open: true, Stage: 'Done', 'Assigned To': 'THEO@acme.test' }; // prettier-ignore
    const digits = '12345678901234567890.12';
    const body = JSON.stringify({ task, further: { ID: 'ignored' } });
    receiver.answer('/write', answerWith(200, body.replace('{"Title"', `{"Amount":${digits},"Title"`)));
    expect(await perform('call', 'write')).toEqual(success);
    expect(await read('write')).toMatchObject({ ...task, Amount: digits, Tags: ['A', 'B'], 'Assigned To': 'theo@acme.test', Fixed: 'f' }); // prettier-ignore
  });

  it('an echo is accepted: `Task URL`, relationship and file keys are ignored', async () => {
    const Files = [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'AAAA' }];
    await api.post('/api/v1/workflows/parts/tasks', { Part: 'p2' }).expect(201);
    receiver.answer('/echo', (response, call, earlier) => {
      const { task } = JSON.parse(call.body) as { task: Shown };
      answerWith(200, { task: { ...task, Title: 'told', Parts: [], Files: 'none', 'Task URL': 5 } })(response, call, earlier); // prettier-ignore
    });
    expect(await perform('call', 'echo', { Files, Parts: [{ Part: 'p2' }] })).toEqual(success);
    expect(await read('echo')).toMatchObject({ Title: 'told', Parts: [{ Part: 'p2' }], Files: [{ filename: 'a.txt' }] }); // prettier-ignore
  });

  it('later steps see what the answer wrote', async () => {
    receiver.answer('/chain/first', answerWith(200, { task: { Title: 'from first' } }));
    receiver.answer('/chain/second', answerWith(200, { task: { Title: 'from second' } }));
    await create('chain');
    const id = await start('chain', 'chain');
    expect(await end(id)).toEqual(success);
    expect(JSON.parse((await only('/chain/second')).body)).toEqual({ title: 'from first' });
    expect(await read('chain')).toMatchObject({ Title: 'from second', Note: 'from second!' });
    expect(keysOf('chain')).toEqual([`${id}.0`, `${id}.1`]);
  });

  it.each([
    ['unknown', { Colour: 1 }, 'Colour is not a field of this workflow'],
    ['half-a-character', { [`\0${'x'.repeat(98)}😀`]: 1 }, /x{98}\ufffd is not a field of this workflow$/],
    ['other-id', { ID: 'other' }, 'ID cannot be changed by a step'],
    ['frozen', { Fixed: 'other' }, 'Fixed cannot be changed after creation'],
    ['stage', { Stage: 'None' }, /^Stage /],
  ])('an answer is validated as usual: %s fails the step, and nothing changes', async (ID, task, reason) => {
    receiver.answer(`/${ID}`, answerWith(200, { task: { Note: 'told', ...task } }));
    const { status, errors = [] } = await perform('call', ID);
    expect([status, errors.length]).toEqual(['Fail', 1]);
    expect(errors[0]?.slice(0, 6)).toBe('Tell: ');
    expect(errors[0]?.slice(6)).toMatch(reason instanceof RegExp ? reason : new RegExp(`^${reason}$`));
    expect(await read(ID)).toMatchObject({ Stage: 'New', Title: 'a b', Note: null, Fixed: 'f' });
    expect(receiver.of(`/${ID}`)).toHaveLength(1);
  });

  it('an endless body is read up to little more than 64 KB, and the connection is cut', async () => {
    let closed: Promise<number> | undefined;
    receiver.answer('/flood', (response, call, earlier) => {
      const { socket } = response;
      closed = new Promise((resolve) => socket?.once('close', () => { resolve(socket.bytesWritten); })); // prettier-ignore
      endless({}, ' {"task":{')(response, call, earlier);
    });
    expect(await perform('patient', 'flood')).toEqual(failed('it is larger than 65536 bytes'));
    // What the other side wrote stood in buffers of the system, some megabytes at most.
    expect(await closed).toBeLessThan(20_000_000);
  });

  it.each<[string, Answer]>([
    ['page-as-json', answerWith(200, '<html>', { 'content-type': 'application/json' })],
    ['endless-page', endless({ 'content-type': 'text/html' }, 'x')],
  ])('an answer that is not JSON of a task is ignored, whatever its size: %s', async (ID, answer) => {
    receiver.answer(`/${ID}`, answer);
    expect(await perform('call', ID)).toEqual(success);
    expect(await read(ID)).toMatchObject({ Stage: 'Busy', Title: 'a b' });
    expect(receiver.of(`/${ID}`)).toHaveLength(1);
  });
});

describe('set', () => {
  const answer = { score: 3.25, flags: ['B', 'A'], by: { name: 'Bureau' }, more: null };

  it('"writes from the JSON answer, by the rules of update_fields", and later steps see it; "a task in the answer is ignored"', async () => {
    const body = JSON.stringify({ ...answer, task: { Fixed: 'other', Stage: 'Done' } });
    receiver.answer('/scored', answerWith(200, body.replace('3.25', '1234567890123456.11')));
    expect(await perform('score', 'scored')).toEqual(success);
    const set = { Amount: '2469135780246912.22', Count: '2', Tags: ['A', 'B'], Note: 'a b: Bureau' };
    const rest = { Open: true, Title: 'a b: Bureau', Stage: 'New', Fixed: 'f' };
    expect(await read('scored')).toMatchObject({ ...set, ...rest });
  });

  it.each<[string, Answer, RegExp]>([
    ['absent', answerWith(200, { ...answer, score: undefined }), /^Tell: .*No such key: score/],
    ['text', answerWith(200, 'accepted'), /^Tell: .*No such key: score \(its answer is not JSON\)$/],
    ['option', answerWith(200, { ...answer, flags: ['C'] }), /^Tell: Tags is not one of: A, B$/],
    [
      'twice',
      answerWith(200, '{"score":1,"score":2}'),
      /^Tell: its answer is not JSON that the service accepts$/,
    ],
  ])('"what does not evaluate fails the step", and nothing changes: %s', async (ID, answered, reason) => {
    receiver.answer(`/${ID}`, answered);
    const { status, errors = [] } = await perform('score', ID);
    expect([status, errors.length]).toEqual(['Fail', 1]);
    expect(errors[0]).toMatch(reason);
    expect(await read(ID)).toMatchObject({ Title: 'a b', Amount: '10.50', Note: null, Tags: [] });
    expect(receiver.of(`/${ID}`)).toHaveLength(1);
  });

  it('an answer that is not JSON is null', async () => {
    receiver.answer('/silence', answerWith(204));
    receiver.answer('/words', answerWith(200, '"words"'));
    for (const [ID, Note] of [['silence', 'nothing'], ['words', 'something']] as const) {
      expect(await perform('whole', ID)).toEqual(success);
      expect(await read(ID)).toMatchObject({ Note });
    }
  }); // prettier-ignore

  const tell = { url: 'https://a.test' };
  it.each([
    [{ ...tell, set: { Colour: { expression: 'body["c"]' } } }, 'is not a field of workflow cases: Colour'],
    [{ ...tell, set: { Stage: { expression: 'body["s"]' } } }, 'is set by a step of type move_to_stage'],
    [{ ...tell, set: { Fixed: { expression: 'body["f"]' } } }, 'is a field with editable: false'],
    [{ ...tell, set: { Note: { expression: 'task["Nope"] + body["x"]' } } }, 'reads an unknown field of workflow cases: Nope'],
    [{ type: 'update_fields', set: { Note: { expression: 'body["x"]' } } }, 'is not an expression'],
  ])('a definition with %j is refused', (step, message) => {
    const wrong = definition({ ...actionsTo(receiver.url), wrong: [step] });
    return expect(service.plan(wrong)).rejects.toThrow(message);
  }); // prettier-ignore
});

const keysOf = (ID: string): unknown[] =>
  receiver.of(`/${ID}`).map(({ headers }) => headers['idempotency-key']);

// How long the pauses between them are: test/unit/executions/pause.spec.ts.
describe('tries', () => {
  it.each<[string, Answer]>([
    ['408', answerWith(408)],
    ['broken-connection', (response) => response.socket?.destroy()],
    ['broken-answer', (response) => response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50' }).write('{"task"', () => response.destroy())], // prettier-ignore
  ])('%s is tried again, 3 times by default, under the same key', async (name, answer) => {
    const ID = `again-${name}`;
    receiver.answer(`/${ID}`, (response, call, earlier) => {
      const third = answerWith(200, { task: { Note: 'third' } });
      (earlier < 2 ? answer : third)(response, call, earlier);
    });
    await create(ID);
    const id = await start('call', ID);
    expect(await end(id)).toEqual(success);
    expect(keysOf(ID)).toEqual([`${id}.1`, `${id}.1`, `${id}.1`]);
    expect(await read(ID)).toMatchObject({ Note: 'third', Stage: 'Busy' });
  });

  it("the last failure is the step's, with its status only", async () => {
    receiver.answer('/never', answerWith(503, 'planted-body'));
    expect(await perform('call', 'never')).toEqual(failed('was answered with status 503'));
    expect(receiver.of('/never')).toHaveLength(3);
    expect(await read('never')).toMatchObject({ Stage: 'New' });
  });

  // The last one asks to be left alone for hours.
  it.each([302, 304, 400, 503])('%i fails at once, after one call', async (status) => {
    const ID = `at-once-${status}`;
    receiver.answer(`/${ID}`, answerWith(status, '', { location: `${receiver.url}/elsewhere`, 'retry-after': '7200' })); // prettier-ignore
    expect(await perform('call', ID)).toEqual(failed(`was answered with status ${status}`));
    expect(receiver.of(`/${ID}`)).toHaveLength(1);
    expect(receiver.of('/elsewhere')).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['never', neverAnswer],
    ['head', (response) => { response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders(); }], // prettier-ignore
  ])('a try that takes too long ends, and another try follows: %s', async (name, answer) => {
    receiver.answer(`/slow-${name}`, answer);
    await create(`slow-${name}`);
    const id = await start('hasty', `slow-${name}`);
    expect(await end(id)).toEqual(failed('it took too long'));
    const [line = ''] = lines.filter((text) => text.includes(id) && text.includes('"calls"'));
    expect((JSON.parse(line) as Shown)['calls']).toMatchObject([{ step: 'Tell', tries: 2 }]);
  });
});

it('a refused address fails at once, by the guard of remoteUrl; an unreachable one is not revealed', async () => {
  const inside = failed('its address is not allowed (WTS_OUTBOUND_ALLOW)');
  expect(await perform('inside', 'inside')).toEqual(inside);
  expect(await perform('closed', 'closed')).toEqual(failed('the port in its URL is not allowed'));
  await create('nobody');
  const id = await start('nobody', 'nobody');
  expect(await end(id)).toEqual(failed('the server could not be reached'));
  expect(JSON.stringify(await stepsOf(id))).not.toContain(String(free));
});

describe('while a call is not answered', () => {
  let release: (() => void)[] = [];
  beforeEach(() => {
    release = [];
    receiver.answer('/held', (response) => release.push(() => response.end()));
  });
  const letGo = (): void => {
    for (const go of release.splice(0)) go();
  };

  it('nobody sees a change: the task changes at the end, once', async () => {
    await create('held');
    const version = ({ headers }: { headers: Record<string, string> }): number =>
      Number(/"(\d+)-/.exec(String(headers['etag']))?.[1]);
    const before = await api.get(`${cases}/held`);
    const id = await start('call', 'held');
    const ended = end(id);
    await receiver.called('/held');
    const pending = { status: 'Pending', steps: [] };
    expect(await api.read(`${executions}/${id}?_verbose=true`)).toMatchObject(pending);
    const during = await api.get(`${cases}/held`);
    expect([during.body, during.headers['etag']]).toEqual([before.body, before.headers['etag']]);
    letGo();
    expect(await ended).toEqual(success);
    expect(version(await api.get(`${cases}/held`))).toBe(version(before) + 1);
  });

  it('other executions of the task wait, and executions of other tasks do not', async () => {
    const tasks = ['held-1', 'held-2', 'held-3'];
    await Promise.all(tasks.map((ID) => create(ID)));
    const ids = [...(await Promise.all(tasks.map((ID) => start('call', ID)))), await start('call', 'held-1')];
    const settled = service.settle();
    await Promise.all(tasks.map((ID) => receiver.called(`/${ID}`)));
    expect(receiver.of('/held-1')).toHaveLength(1);
    letGo();
    await receiver.called('/held-1', 2);
    letGo();
    await settled;
    expect(await Promise.all(ids.map(end))).toEqual(ids.map(() => success));
  }); // prettier-ignore
});
