import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as open, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Refusal, type RefusalKind } from '../../../src/lib/errors.js';
import { type ArrivingFile, readMultipartFile } from '../../../src/attachments/multipart.js';
import { patience, until } from '../../support/until.js';

const maxFileBytes = 1000;
const type = 'multipart/form-data; boundary=XYZ';

/** What became of a request: what was stored, or why not, and whether the store was told that it must discard. */
interface Outcome {
  readonly file?: { filename: string | undefined; contentType: string; text: string };
  readonly refusal?: [kind: RefusalKind, detail: string, headers: object];
  readonly error?: unknown;
  readonly isDiscarded: boolean;
}

type Store = (file: ArrivingFile) => Promise<string>;

let server: Server;
let outcomes: Outcome[] = [];
let limit = maxFileBytes;
let store: Store;

async function collect({ bytes }: ArrivingFile): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

async function receive(request: IncomingMessage): Promise<Outcome> {
  let isDiscarded = false;
  try {
    const file = await readMultipartFile(request, { maxFileBytes: limit }, async (arriving) => {
      const { filename, contentType } = arriving;
      try {
        return { filename, contentType, text: await store(arriving) };
      } catch (error) {
        isDiscarded = true;
        throw error;
      }
    });
    return { file, isDiscarded };
  } catch (error) {
    if (!(error instanceof Refusal)) return { error, isDiscarded };
    return { refusal: [error.kind, error.message, error.headers], isDiscarded };
  }
}

beforeAll(async () => {
  server = createServer((request, response) => {
    void receive(request).then((outcome) => {
      outcomes.push(outcome);
      if (!request.complete) response.setHeader('Connection', 'close');
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

beforeEach(() => {
  outcomes = [];
  limit = maxFileBytes;
  store = collect;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;

async function outcome(): Promise<Outcome> {
  const deadline = Date.now() + patience;
  while (Date.now() < deadline) {
    if (outcomes[0]) return outcomes[0];
    await wait(5);
  }
  throw new Error('the request never ended');
}

type Body = string | Buffer | readonly (string | Buffer)[];

/** Sends a body, in so many pieces, and says what became of it. */
async function send(body: Body, headers: Record<string, string> = {}): Promise<Outcome> {
  const pieces = Array.isArray(body) ? (body as readonly (string | Buffer)[]) : [body as string];
  const client = open({ port: port(), method: 'POST', headers: { 'Content-Type': type, ...headers } });
  client.on('error', () => undefined).setNoDelay();
  client.on('response', (response) => response.resume());
  for (const piece of pieces) {
    client.write(piece);
    if (pieces.length > 1) await wait(2);
  }
  client.end();
  const result = await outcome();
  client.destroy();
  return result;
}

const file = (content: string, disposition = 'name="f"; filename="a.txt"', more = ''): string =>
  `--XYZ\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
const field = (name: string, value: string): string =>
  `--XYZ\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const end = '--XYZ--\r\n';

const stored = (
  text: string,
  filename: string | undefined = 'a.txt',
  contentType = 'application/octet-stream',
) => ({
  file: { filename, contentType, text },
  isDiscarded: false,
});

describe('6. attachments: a file by multipart/form-data', () => {
  it.each<[string, Body]>([
    ['a file', file('hello') + end],
    ['an epilogue', `${file('hello')}${end}epilogue\r\n--XYZ\r\nmore`],
    ['a preamble', `preamble\r\nmore\r\n${file('hello')}${end}`],
    ['no line break at the end', `${file('hello')}--XYZ--`],
    ['fields around it', field('a', '1') + file('hello') + field('b', '2') + field('b', '') + end],
    [
      'a header in another case',
      file('hello', 'NAME=f; FileName=a.txt', 'content-TYPE:application/octet-stream\r\n') + end,
    ],
    ['a folded header', file('hello', 'name="f";\r\n filename="a.txt"') + end],
    ['a name without a name', file('hello', 'filename="a.txt"') + end],
    [
      'a transfer encoding that is none',
      file('hello', undefined, 'Content-Transfer-Encoding: binary\r\n') + end,
    ],
    ['one byte at a time', [...(field('a', '1') + file('hello') + end)]],
  ])('is stored: %s', async (_what, body) => {
    expect(await send(body)).toEqual(stored('hello'));
  });

  it.each([
    '',
    '\r\n',
    '\r\n\r\n',
    '--XY',
    '\r\n--XY',
    '\r\n--XY\r\n-',
    '-',
    '\n--XYZ--\n',
    '\r',
    '\r\n--xyz--\r\n',
    '\0\xff',
  ])('is stored as it is: %j', async (content) => {
    for (const pieces of [[file(content) + end], [...(file(content) + end)]]) {
      outcomes = [];
      const latin1 = pieces.map((piece) => Buffer.from(piece, 'latin1'));
      expect(await send(latin1)).toEqual(stored(content));
    }
  });

  it.each([
    ['name="f"; filename="a b.txt"', 'a b.txt'],
    ['name="f"; filename=""', ''],
    [
      'name="f"; filename="r\u00e9sum\u00e9 \u65e5\u672c \u{1f600}.txt"',
      'r\u00e9sum\u00e9 \u65e5\u672c \u{1f600}.txt',
    ],
    ['name="f"; filename="C:\\dir\\a.txt"', 'C:\\dir\\a.txt'],
    ['name="f"; filename="../../a.txt"', '../../a.txt'],
    ['name="f"; filename="a%22b%0D%0Ac%25.txt"', 'a"b\r\nc%25.txt'],
    ['name="f"; filename="a;b=c.txt"', 'a;b=c.txt'],
    ['name="f"; filename="x"; filename*=UTF-8\'\'%E2%82%AC.txt', '\u20ac.txt'],
    ['name="f"; filename*=UTF-8\'\'r%C3%A9.txt; filename=x', 'r\u00e9.txt'],
    ['name="__proto__"; filename="constructor"', 'constructor'],
  ])('has the name that the client gave: %s', async (disposition, filename) => {
    expect(await send(file('hello', disposition) + end)).toEqual(stored('hello', filename));
  });

  it.each([
    ['Content-Type: text/plain; charset="UTF-8"\r\n', 'text/plain; charset="UTF-8"'],
    ['Content-Type: Image/PNG\r\n', 'Image/PNG'],
    ['Content-Type: \r\n', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('has the type that the client gave: %j', async (header, contentType) => {
    expect(await send(file('hello', undefined, header) + end)).toEqual(stored('hello', 'a.txt', contentType));
  });

  it('may have no name, if its type says that it is a file', async () => {
    const body = file('hello', 'name="f"', 'Content-Type: application/octet-stream\r\n') + end;
    const { file: arrived } = await send(body);
    expect(arrived).toEqual({ filename: undefined, contentType: 'application/octet-stream', text: 'hello' });
  });

  it.each([
    'multipart/form-data; boundary="XYZ"',
    'Multipart/Form-Data;boundary=XYZ;charset=utf-8',
    'multipart/form-data; charset=utf-8 ; Boundary = XYZ',
  ])('is announced as %s', async (contentType) => {
    expect(await send(file('hello') + end, { 'Content-Type': contentType })).toEqual(stored('hello'));
  });

  it.each([
    ['application/json'],
    ['multipart/mixed; boundary=XYZ'],
    ['multipart/form-data-x; boundary=XYZ'],
    ['application/x-www-form-urlencoded'],
    [''],
  ])('415: the type %j', async (contentType) => {
    const { refusal } = await send(file('hello') + end, { 'Content-Type': contentType });
    expect(refusal).toEqual(['unsupported-media-type', 'The body must be multipart/form-data.', {}]);
  });

  it('415: a compressed body', async () => {
    const { refusal } = await send(file('hello') + end, { 'Content-Encoding': 'gzip' });
    expect(refusal?.[0]).toBe('unsupported-media-type');
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="a "',
    'multipart/form-data; boundary="a\\"b"',
    `multipart/form-data; boundary=${'a'.repeat(71)}`,
  ])('400: no boundary in %j', async (contentType) => {
    const { refusal } = await send(file('hello') + end, { 'Content-Type': contentType });
    expect(refusal).toEqual(['malformed', 'The content type must name the boundary.', {}]);
  });

  it.each<[string, string, Body, boolean]>([
    ['an empty body', 'The form is incomplete.', '', false],
    ['no boundary', 'The form is incomplete.', 'hello', false],
    ['another boundary', 'The form is incomplete.', (file('hello') + end).replaceAll('XYZ', 'ABC'), false],
    ['bare line feeds', 'The form is incomplete.', (file('hello') + end).replaceAll('\r', ''), false],
    ['an empty form', 'The form holds no file.', end, false],
    ['fields alone', 'The form holds no file.', field('a', '1') + end, false],
    ['two files', 'The form holds more than one file.', file('hello') + file('hello') + end, true],
    [
      'a file and another without a name',
      'The form holds more than one file.',
      [file('hello'), file('', 'name=f', 'Content-Type: application/octet-stream\r\n') + end],
      true,
    ],
    ['no end', 'The form is incomplete.', file('hello'), true],
    ['no end, in mid-file', 'The form is incomplete.', file('hello').slice(0, -4), true],
    ['no end, in mid-boundary', 'The form is incomplete.', `${file('hello')}--XYZ-`, true],
    ['no end, in a field', 'The form is incomplete.', `${file('hello')}${field('a', 'b')}`, true],
    ['no end, in the headers', 'The form is incomplete.', file('hello').slice(0, 30), false],
    ['no headers', 'A part of the form is not form-data.', `--XYZ\r\n\r\nhello\r\n${end}`, false],
    [
      'headers that do not end',
      'A part of the form has no headers.',
      `${file('hello')}--XYZ\r\nhello\r\n${end}`,
      true,
    ],
    [
      'another disposition',
      'A part of the form is not form-data.',
      `--XYZ\r\nContent-Disposition: attachment; filename=a\r\n\r\nhello\r\n${end}`,
      false,
    ],
    [
      'two dispositions',
      'A part of the form has several content-disposition headers.',
      file('hello', undefined, 'Content-Disposition: form-data; name=a\r\n') + end,
      false,
    ],
    [
      'a disguise',
      'The file must not have a transfer encoding.',
      file('aGVsbG8=', undefined, 'Content-Transfer-Encoding: base64\r\n') + end,
      false,
    ],
    [
      'bad UTF-8',
      'The headers of a part must be UTF-8.',
      Buffer.from(file('hello', 'name=f; filename="\xff"') + end, 'latin1'),
      false,
    ],
    [
      '101 parts',
      'The form has more than 100 parts.',
      field('a', '').repeat(100) + file('hello') + end,
      false,
    ],
    [
      'headers without end',
      'The form holds no file.',
      file('hello', `name=f; filename="${'a'.repeat(20_000)}"`) + end,
      false,
    ],
  ])('400: %s', async (_what, detail, body, isDiscarded) => {
    expect(await send(body)).toEqual({ refusal: ['malformed', detail, {}], isDiscarded });
  });

  it('413: one byte more than allowed', async () => {
    expect(await send(file('x'.repeat(1000)) + end)).toEqual(stored('x'.repeat(1000)));
    outcomes = [];
    expect(await send(file('x'.repeat(1001)) + end)).toEqual({
      refusal: ['too-large', 'The file is larger than 1000 bytes.', { Connection: 'close' }],
      isDiscarded: true,
    });
  });

  it('413 before anything is read, if the length says so', async () => {
    store = () => Promise.reject(new Error('asked'));
    const client = rawClient(`Content-Length: ${1000 + 65_536 + 1}`);
    expect(await outcome()).toEqual({
      refusal: ['too-large', 'The file is larger than 1000 bytes.', { Connection: 'close' }],
      isDiscarded: false,
    });
    client.destroy();
  });

  it.each<[string, Body]>([
    ['fields', field('a', 'x'.repeat(40_000)) + field('b', 'x'.repeat(40_000)) + file('hello') + end],
    ['a preamble', ['x'.repeat(70_000), file('hello') + end]],
    ['an epilogue', [file('hello') + end, 'x'.repeat(70_000)]],
    ['headers', field('a', '1').replaceAll('name', `${'x'.repeat(70_000)}: y\r\nname`)],
  ])('413: too much of %s', async (_what, body) => {
    const { refusal } = await send(body, { 'Transfer-Encoding': 'chunked' });
    expect(refusal?.[0]).toBe('too-large');
    expect(refusal?.[2]).toEqual({ Connection: 'close' });
  });

  it('gives the error of the store, and the connection stays for the answer', async () => {
    const failure = new Error('disk full');
    store = async ({ bytes }) => {
      for await (const _chunk of bytes) throw failure;
      return '';
    };
    expect(await send(file('x'.repeat(900)) + end)).toEqual({ error: failure, isDiscarded: true });
    outcomes = [];
    store = () => Promise.reject(failure);
    expect(await send([file('x'.repeat(900)), end])).toEqual({ error: failure, isDiscarded: true });
  });

  it('tells a store that comes late of what went wrong meanwhile', async () => {
    store = async (arriving) => {
      await wait(200);
      return collect(arriving);
    };
    expect(await send(file('hello') + file('hello') + end)).toEqual({
      refusal: ['malformed', 'The form holds more than one file.', {}],
      isDiscarded: true,
    });
    outcomes = [];
    expect(await send(file('hello') + field('a', '1') + end)).toEqual(stored('hello'));
  });

  it('400 when the client goes away in mid-file', async () => {
    const client = rawClient('Content-Length: 500');
    let hasBegun = false;
    store = (arriving) => {
      hasBegun = true;
      return collect(arriving);
    };
    client.write(file('hello').slice(0, -2));
    await until(() => hasBegun);
    client.destroy();
    expect(await outcome()).toEqual({
      refusal: ['malformed', 'The body ended early.', {}],
      isDiscarded: true,
    });
  });

  it('ends after 10 s in which the client sends nothing, but waits as long for a slow store', async () => {
    limit = 2 ** 24;
    let largest = 0;
    store = async ({ filename, bytes }) => {
      let length = 0;
      for await (const chunk of bytes) {
        if (length === 0 && filename === 'slow') await wait(11_000);
        length += chunk.length;
        largest = Math.max(largest, chunk.length);
      }
      return String(length);
    };
    const started = performance.now();
    const clients = [file('hello').slice(0, -2), '', file('hello') + end].map((text) => {
      const client = rawClient('Content-Length: 500');
      client.write(text);
      return client;
    });
    const slow = file('x'.repeat(8_000_000), 'name="f"; filename="slow"') + end;
    const client = rawClient(`Content-Length: ${slow.length}`);
    client.write(slow);
    await until('four outcomes', () => outcomes.length === 4);
    expect(outcomes.slice(0, 3).map(({ refusal }) => refusal?.[1])).toEqual(
      Array(3).fill('The body arrives too slowly.'),
    );
    expect(outcomes.slice(0, 3).map(({ isDiscarded }) => isDiscarded)).toEqual(
      expect.arrayContaining([true, false]),
    );
    expect(outcomes[3]).toEqual(stored('8000000', 'slow'));
    expect(largest).toBeLessThanOrEqual(2 ** 16);
    expect(performance.now() - started).toBeGreaterThan(10_900);
    for (const each of [...clients, client]) each.destroy();
  });

  it('is through with a form of every length', async () => {
    limit = 2 ** 20;
    store = async (arriving) => {
      await wait(2);
      return String((await collect(arriving)).length);
    };
    for (let length = 65_300; length < 65_560; length += 3)
      for (const rest of [end, field('a', '1') + end]) {
        outcomes = [];
        expect(await send(file('x'.repeat(length)) + rest)).toEqual(stored(String(length)));
      }
  });

  it('streams 100 MB in little memory', async () => {
    limit = 100 * 2 ** 20;
    const piece = Buffer.alloc(2 ** 20, 'any bytes but the boundary \r\n--XY', 'latin1');
    const wanted = createHash('sha256');
    let held = 0;
    store = async ({ bytes }) => {
      const hash = createHash('sha256');
      const before = process.memoryUsage().arrayBuffers;
      for await (const chunk of bytes) {
        hash.update(chunk);
        held = Math.max(held, process.memoryUsage().arrayBuffers - before);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return hash.digest('hex');
    };
    const client = open({ port: port(), method: 'POST', headers: { 'Content-Type': type } });
    client.on('response', (response) => response.resume());
    client.write(file('').slice(0, -2));
    for (let sent = 0; sent < 100; sent++) {
      wanted.update(piece);
      await new Promise((resolve) => client.write(piece, resolve));
    }
    client.end(`\r\n${end}`);
    expect(await outcome()).toEqual(stored(wanted.digest('hex')));
    expect(held).toBeLessThan(50 * 2 ** 20);
  });
});

function rawClient(header: string): Socket {
  const client = connect(port(), '127.0.0.1').on('error', () => undefined);
  client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n${header}\r\n\r\n`);
  return client;
}
