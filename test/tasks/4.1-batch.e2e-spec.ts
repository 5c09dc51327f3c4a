import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { postBatch } from '../support/batch.js';
import { workflowOf } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';
import { blocked } from '../support/blocked.js';
import { holdTasks } from '../support/held-tasks.js';
import { whileOutdated } from '../support/outdated.js';

const path = '/api/v1/workflows/things/tasks';
const id = 'name: ID, type: uniqueId, required: true';
const fields = [id, 'name: Text, type: text', 'name: Docs, type: file'];
const ndjson = 'application/x-ndjson';

const { service, api, key } = await startServiceWith(workflowOf(fields), { WTS_MAX_BODY_BYTES: '20000' });

describe('4.1 a batch of tasks', () => {
  beforeEach(() => service.dataSource.query('DELETE FROM tasks'));

  const post = (body: string, query = '', type = ndjson, headers = {}) =>
    postBatch(`${service.url}${path}/batch${query}`, key, body, { 'Content-Type': type, ...headers });

  const texts = async (): Promise<[string, string | null][]> =>
    (await api.read<{ ID: string; Text: string | null }[]>(path)).map(({ ID, Text }) => [ID, Text]);
  const linesOf = (...rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

  it.each([ndjson, 'application/json'])(
    'answers each line, in order: created, updated, unchanged or error (%s)',
    async (sent) => {
      const good = [{ ID: 'a', Text: 'x' }, { ID: 'a' }, { ID: 'b' }, { ID: 'a', Text: 'y' }];
      const rows = [...good, { ID: 'b', No: 1 }, {}];
      const { status, headers, lines } = await post(linesOf(...rows), '', sent);
      expect([status, headers.get('content-type')]).toEqual([200, `${ndjson}; charset=utf-8`]);
      expect(lines).toEqual([
        { row: 1, status: 'created', unique_id: 'a' },
        { row: 2, status: 'unchanged', unique_id: 'a' },
        { row: 3, status: 'created', unique_id: 'b' },
        { row: 4, status: 'updated', unique_id: 'a' },
        { row: 5, status: 'error', unique_id: 'b', errors: { No: ['is not a field of this workflow'] } },
        { row: 6, status: 'error', unique_id: null, errors: { ID: ['is required'] } },
      ]);
      expect(Object.fromEntries(await texts())).toEqual({ a: 'y', b: null });
    },
  );

  it('an unreadable line is an error of its row only; blank lines are skipped', async () => {
    const long = JSON.stringify({ ID: 'long', Text: 'x'.repeat(2 * 2 ** 20) });
    const file = '[{"filename":"a","contentType":"text/plain","base64contents":""}]';
    const read = ['\r', '{"ID":"a"}', ' ', '{"ID":"\xff"}'];
    const unread = ['[]', '{"ID":', long, `{"ID":"b","Docs":${file}}`, '{"ID":"c"}'];
    const { lines } = await post([...read, ...unread].join('\n'));
    expect(lines).toEqual([
      { row: 1, status: 'created', unique_id: 'a' },
      { row: 2, status: 'created', unique_id: 'ÿ' },
      ...[
        [null, { base: ['The row must be a JSON object.'] }],
        [null, { base: ['The JSON is malformed at character 7.'] }],
        [null, { base: ['The line is longer than 2 MB.'] }],
        ['b', { Docs: ['accepts files only by blobId in a batch'] }],
      ].map(([unique_id, errors], at) => ({ row: at + 3, status: 'error', unique_id, errors })),
      { row: 7, status: 'created', unique_id: 'c' },
    ]);
  });

  it('may be longer than other bodies', async () => {
    const rows = Array.from({ length: 600 }, (_, n) => ({ ID: String(n), Text: 'x'.repeat(100) }));
    const { lines } = await post(linesOf(...rows));
    expect(lines).toEqual(rows.map(({ ID }, at) => ({ row: at + 1, status: 'created', unique_id: ID })));
    expect((await texts()).map(([id]) => id)).toEqual(rows.map(({ ID }) => ID));
  });

  it('is refused as other requests are', async () => {
    const reader = `Bearer ${await service.key('acme', 'read')}`;
    const cases: [Parameters<typeof post>, number][] = [
      [['a', '', 'text/csv'], 415],
      [['{}', '?_atomic=true'], 422],
      [['{}', '', ndjson, { 'Idempotency-Key': 'k' }], 400],
      [['{}', '', ndjson, { 'If-Match': '"1"' }], 400],
      [['\n [{"ID":"a"},\n{"ID":"b"}\n]'], 400],
      [['{}', '', ndjson, { Authorization: reader }], 403],
    ];
    for (const [sent, status] of cases) expect([sent, (await post(...sent)).status]).toEqual([sent, status]);
    expect(await post('')).toMatchObject({ status: 200, lines: [] });
    expect(await texts()).toEqual([]);
  });

  it('waits for another batch on the same ids in the opposite order', async () => {
    const ids = ['a', 'b', 'c', 'd'];
    await post(linesOf(...ids.map((ID) => ({ ID }))));
    const release = await holdTasks(service.dataSource, 'acme', 'b');
    const sent = Promise.all(
      [ids, ids.toReversed()].map((order, n) => post(linesOf(...order.map((ID) => ({ ID, Text: `${n}` }))))),
    );
    await blocked(service.dataSource, 2);
    await release();
    for (const { status, lines } of await sent)
      expect([status, lines]).toMatchObject([200, ids.map(() => ({ status: 'updated' }))]);
    expect(new Set((await texts()).map(([, text]) => text)).size).toBe(1);
  });

  it('is written by the definition in force, even if the service has not heard of it', async () => {
    await service.apply(workflowOf(fields, 'moving'));
    const headers = { Authorization: `Bearer ${await service.key('moving')}` };
    const stricter = workflowOf([...fields, 'name: More, type: text, required: true'], 'moving');
    const rows = linesOf({ ID: 'a', Text: 'x' }, { ID: 'b' });
    const { lines } = await whileOutdated(service, stricter, () => post(rows, '', ndjson, headers));
    const refused = { status: 'error', errors: { More: ['is required'] } };
    expect(lines).toMatchObject([refused, refused]);
  });

  /** A connection that has announced a batch of so many bytes and sent these. */
  function begun(length: number, body: string): Socket {
    const head = [`POST ${path}/batch HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, `Content-Type: ${ndjson}`, `Content-Length: ${length}`]; // prettier-ignore
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    return socket;
  }

  it('leaves whole rows and no part of a line if its client disconnects, and frees its room', async () => {
    const accepted: Socket[] = [];
    service.app.getHttpServer().on('connection', (socket: Socket) => accepted.push(socket));
    const cut = begun(100_000, '{"ID":"whole"}\n{"ID":"cut"}');
    // The first row is answered when it is written.
    await once(cut, 'data');
    // As many as may write at once have nothing to write.
    const others = Array.from({ length: 20 }, () => begun(5_000_000, ''));
    await Promise.all(others.map(async (socket) => once(socket, 'connect')));
    for (const [n, socket] of [cut, ...others].entries())
      if (n % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    expect((await post(linesOf({ ID: 'next' }))).status).toBe(200);
    const left = accepted.slice(0, 1 + others.length).filter(({ closed }) => !closed);
    await Promise.all(left.map((socket) => once(socket, 'close').catch(() => undefined)));
    expect((await texts()).map(([id]) => id)).toEqual(['whole', 'next']);
  });

  it('is answered before its last row has come, and continues when a slow client reads', async () => {
    const waiting = 5_000;
    const line = '{"ID":\n';
    const first = '{"ID":"first"}\n';
    const socket = begun(first.length + waiting * line.length, first).setEncoding('utf8');
    const [answered] = (await once(socket, 'data')) as [string];
    expect(answered).toContain('{"row":1,"status":"created","unique_id":"first"}');
    socket.pause();
    socket.write(line.repeat(waiting));
    let rest = '';
    for await (const text of socket) {
      rest += String(text);
      if (rest.endsWith('0\r\n\r\n')) break;
    }
    expect(rest.match(/"status":"error"/g)).toHaveLength(waiting);
  });
});
