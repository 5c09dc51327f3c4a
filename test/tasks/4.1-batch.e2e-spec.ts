import { connect } from 'node:net';
import { workflowOf } from '../support/definitions.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const path = '/api/v1/workflows/things/tasks';
const fields = [
  'name: ID, type: uniqueId, required: true',
  'name: Text, type: text',
  'name: Docs, type: file',
];
const ndjson = 'application/x-ndjson';

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly lines: unknown[];
}

describe('4.1 a batch of tasks', () => {
  let service: TestService;
  let key: string;

  beforeAll(async () => {
    service = await startService({ WTS_MAX_BODY_BYTES: '200000' });
    await service.apply(workflowOf(fields));
    key = await service.key('acme');
  });
  beforeEach(() => service.dataSource.query('DELETE FROM tasks'));
  afterAll(() => service.stop());

  async function post(body: string, query = '', type = ndjson, headers = {}): Promise<Answer> {
    const answer = await fetch(`${service.url}${path}/batch${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': type, ...headers },
      body,
    });
    const lines = (await answer.text()).split('\n').filter((line) => line !== '');
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      lines: lines.map((line) => JSON.parse(line) as unknown),
    };
  }

  const texts = async (): Promise<[string, string | null][]> => {
    const answer = await fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    return ((await answer.json()) as { ID: string; Text: string | null }[]).map(({ ID, Text }) => [ID, Text]);
  };
  const linesOf = (...rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

  it('tells of each row, in order: created, updated, unchanged or error', async () => {
    const rows = [
      { ID: 'a', Text: 'x' },
      { ID: 'a' },
      { ID: 'b' },
      { ID: 'a', Text: 'y' },
      { ID: 'b', No: 1 },
      {},
    ];
    const expected = [
      { row: 1, status: 'created', unique_id: 'a' },
      { row: 2, status: 'unchanged', unique_id: 'a' },
      { row: 3, status: 'created', unique_id: 'b' },
      { row: 4, status: 'updated', unique_id: 'a' },
      { row: 5, status: 'error', unique_id: 'b', errors: { No: ['is not a field of this workflow'] } },
      { row: 6, status: 'error', unique_id: null, errors: { ID: ['is required'] } },
    ];
    const type = 'application/x-ndjson; charset=utf-8';
    expect(await post(linesOf(...rows))).toEqual({ status: 200, type, lines: expected });
    await service.dataSource.query('DELETE FROM tasks');
    expect(await post(JSON.stringify(rows), '', 'application/json')).toEqual({
      status: 200,
      type,
      lines: expected,
    });
    expect(await texts()).toEqual([['a', 'y'], ['b', null]]); // prettier-ignore
  });

  it('a line that cannot be read is an error of its row alone; blank lines are none; the last may lack its end', async () => {
    const long = JSON.stringify({ ID: 'long', Text: 'x'.repeat(2 * 2 ** 20) });
    const { lines } = await post(`\r\n{"ID":"a"}\r\n \n[]\n{"ID":\n${long}\n{"ID":"\xff"}\n{"ID":"b","Docs":[{"filename":"a","contentType":"text/plain","base64contents":""}]}\n{"ID":"c"}`); // prettier-ignore
    expect(lines).toEqual([
      { row: 1, status: 'created', unique_id: 'a' },
      { row: 2, status: 'error', unique_id: null, errors: { base: ['The row must be a JSON object.'] } },
      {
        row: 3,
        status: 'error',
        unique_id: null,
        errors: { base: ['The JSON is malformed at character 7.'] },
      },
      {
        row: 4,
        status: 'error',
        unique_id: null,
        errors: { base: ['The line is longer than 2 MB.'] },
      },
      { row: 5, status: 'created', unique_id: 'ÿ' },
      {
        row: 6,
        status: 'error',
        unique_id: 'b',
        errors: { Docs: ['in a batch takes files only by blobId'] },
      },
      { row: 7, status: 'created', unique_id: 'c' },
    ]);
  });

  it('NDJSON has no limit of its own, an array that of a body', async () => {
    const rows = Array.from({ length: 5000 }, (_, n) => ({ ID: String(n), Text: 'x'.repeat(100) }));
    expect((await post(JSON.stringify(rows), '', 'application/json')).status).toBe(413);
    const { lines } = await post(linesOf(...rows));
    expect(lines).toEqual(rows.map(({ ID }, at) => ({ row: at + 1, status: 'created', unique_id: ID })));
    expect((await texts()).map(([id]) => id)).toEqual(rows.map(({ ID }) => ID));
  });

  it('_atomic: all of it, or nothing and the errors; _dry_run: nothing', async () => {
    const good = linesOf({ ID: 'a' }, { ID: 'a', Text: 'x' });
    const outcomes = [
      { row: 1, status: 'created', unique_id: 'a' },
      { row: 2, status: 'updated', unique_id: 'a' },
    ];
    expect(await post(good, '?_dry_run=true')).toMatchObject({ status: 200, lines: outcomes });
    expect(await post(good + '{}', '?_atomic=true')).toMatchObject({
      status: 422,
      lines: [{ row: 3, status: 'error', unique_id: null, errors: { ID: ['is required'] } }],
    });
    expect(await texts()).toEqual([]);
    expect(await post(good, '?_atomic=true')).toMatchObject({ status: 200, lines: outcomes });
    expect(await texts()).toEqual([['a', 'x']]);
    const many = '{"ID":"b"}\n'.repeat(10_001);
    expect((await post(many, '?_atomic=true')).status).toBe(413);
  });

  it('is refused as other requests are', async () => {
    const status = async (...args: Parameters<typeof post>): Promise<number> => (await post(...args)).status;
    expect(await status('{}', '', 'application/json')).toBe(400);
    expect(await status('[', '', 'application/json')).toBe(400);
    expect(await status('a', '', 'text/csv')).toBe(415);
    expect(await status('{}', '?_atomic=yes')).toBe(422);
    expect(await status('{}', '?atomic=true')).toBe(422);
    expect(await status('{}', '', ndjson, { 'Idempotency-Key': 'k' })).toBe(400);
    expect(await status('{}', '', ndjson, { 'If-Match': '"1"' })).toBe(400);
    const reader = await service.key('acme', 'read');
    expect(await status('{}', '', ndjson, { Authorization: `Bearer ${reader}` })).toBe(403);
    expect(await post('')).toMatchObject({ status: 200, lines: [] });
    expect(await post('[]', '', 'application/json')).toMatchObject({ status: 200, lines: [] });
  });

  it('batches over the same ids in opposite orders do not get into each other', async () => {
    const ids = Array.from({ length: 600 }, (_, n) => `id-${n}`);
    for (const query of ['', '?_atomic=true']) {
      for (const round of [1, 2, 3]) {
        const sent = [ids, ids.toReversed(), ids, ids.toReversed()].map((order, n) =>
          post(
            linesOf(...order.map((ID) => ({ ID, Text: `${query}${round} ${n}` }))),
            n % 2 === 0 ? query : '',
          ),
        );
        for (const { status, lines } of await Promise.all(sent)) {
          expect(status).toBe(200);
          expect(lines).toHaveLength(600);
          expect(JSON.stringify(lines)).not.toContain('"error"');
        }
      }
    }
    expect(await texts()).toHaveLength(600);
  });

  it('goes on by the definition that comes into force meanwhile', async () => {
    const rows = Array.from({ length: 3000 }, (_, n) => ({ ID: String(n), Text: 'x' }));
    const sending = post(linesOf(...rows));
    const changing = service.apply(
      workflowOf([...fields, 'name: More, type: text, required: true, default: given']),
    );
    const [{ lines }] = await Promise.all([sending, changing]);
    expect(lines).toHaveLength(3000);
    expect(JSON.stringify(lines)).not.toContain('"error"');
    const after = await post(linesOf({ ID: 'new', More: null }));
    expect(after.lines).toEqual([
      { row: 1, status: 'error', unique_id: 'new', errors: { More: ['is required'] } },
    ]);
  });

  it('a client that goes away leaves whole rows behind, and never the line that it cut', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const head = [`POST ${path}/batch HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, `Content-Type: ${ndjson}`, 'Content-Length: 100000']; // prettier-ignore
    socket.write(`${head.join('\r\n')}\r\n\r\n{"ID":"whole"}\n{"ID":"cut"}`);
    await until(async () => (await texts()).length > 0);
    socket.destroy();
    await new Promise((done) => setTimeout(done, 200));
    expect(await texts()).toEqual([['whole', null]]);
  });

  it('clients that go away in the middle of their bodies leave room for others at once', async () => {
    const head = [`POST ${path}/batch HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, `Content-Type: ${ndjson}`, 'Content-Length: 5000000']; // prettier-ignore
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const sockets = Array.from({ length: 20 }, (_, n) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined);
      socket.write(`${head.join('\r\n')}\r\n\r\n{"ID":"gone-${n}"}\n`);
      return socket;
    });
    // The first of them are being written, the others wait in line.
    await until(async () => (await texts()).length > 0);
    for (const [n, socket] of sockets.entries()) if (n % 2 === 0) socket.end();
    for (const [n, socket] of sockets.entries()) if (n % 2 === 1) socket.resetAndDestroy();
    expect((await post(linesOf({ ID: 'next' }))).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    // Nor is anything left that watches their bodies: that would keep the process for 30 s.
    await until(() => timers() <= before);
  });

  it('answers rows before the last has come, and stops reading for a client that does not read', async () => {
    const waiting = 40_000;
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').setEncoding('utf8');
    const head = [`POST ${path}/batch HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, `Content-Type: ${ndjson}`, 'Transfer-Encoding: chunked']; // prettier-ignore
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    socket.write(`${head.join('\r\n')}\r\n\r\n${chunk('{"ID":"first"}\n')}`);
    const first = await new Promise((found) => socket.once('data', found));
    expect(String(first)).toContain('{"row":1,"status":"created","unique_id":"first"}');
    // What is not read is not asked for: the rest of this comes to an end only when it is.
    socket.pause();
    for (let n = 0; n < waiting; n += 1000) socket.write(chunk('{"ID":\n'.repeat(1000)));
    socket.write('0\r\n\r\n');
    let rest = '';
    socket.on('data', (text) => (rest += String(text))).resume();
    await until('the end of the answer', () => rest.endsWith('0\r\n\r\n'));
    socket.destroy();
    expect(rest.match(/"status":"error"/g)).toHaveLength(waiting);
  });
});
