import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, request as open, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Refusal, type RefusalKind } from '../../../src/lib/errors.js';
import { type ArrivingFile, readMultipartFile } from '../../../src/attachments/multipart.js';

const maxFileBytes = 1000;
const type = 'multipart/form-data; boundary=XYZ';

/** What became of a request: what was stored, or why not. */
interface Outcome {
  readonly file?: { filename: string | undefined; contentType: string; text: string };
  readonly refusal?: [kind: RefusalKind, detail: string, headers: object];
}

let server: Server;
const ends = new EventEmitter();

async function collect({ bytes }: ArrivingFile): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

async function receive(request: IncomingMessage): Promise<Outcome> {
  try {
    const file = await readMultipartFile(request, { maxFileBytes }, async (arriving) => {
      const { filename, contentType } = arriving;
      return { filename, contentType, text: await collect(arriving) };
    });
    return { file };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refusal: [error.kind, error.message, error.headers] };
  }
}

beforeAll(async () => {
  server = createServer((request, response) => {
    void receive(request).then((outcome) => {
      if (!request.complete) response.setHeader('Connection', 'close');
      response.end();
      ends.emit('end', outcome);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;

/** What became of the next request. */
async function outcome(): Promise<Outcome> {
  const [ended] = (await once(ends, 'end')) as [Outcome];
  return ended;
}

type Body = string | Buffer | readonly (string | Buffer)[];

/** Sends a body, in so many pieces, and says what became of it. */
async function send(body: Body, headers: Record<string, string> = {}): Promise<Outcome> {
  const pieces = Array.isArray(body) ? (body as readonly (string | Buffer)[]) : [body as string];
  const client = open({ port: port(), method: 'POST', headers: { 'Content-Type': type, ...headers } });
  client.on('error', () => undefined).setNoDelay();
  client.on('response', (response) => response.resume());
  const ended = outcome();
  // Node.js sends each piece by itself.
  for (const piece of pieces) await new Promise((sent) => client.write(piece, sent));
  client.end();
  const result = await ended;
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
});

describe('6. attachments: a file by multipart/form-data', () => {
  it.each<[string, Body]>([
    ['no line break at the end', `${file('hello')}--XYZ--`],
    ['fields around it', field('a', '1') + file('hello') + field('b', '2') + field('b', '') + end],
    ['one byte at a time', [...(field('a', '1') + file('hello') + end)]],
  ])('is stored: %s', async (_what, body) => {
    expect(await send(body)).toEqual(stored('hello'));
  });

  it.each(['', '\r\n--XY\r\n-', '\n--XYZ--\n', '\r', '\0\xff'])('is stored as it is: %j', async (content) => {
    for (const pieces of [[file(content) + end], [...(file(content) + end)]]) {
      const latin1 = pieces.map((piece) => Buffer.from(piece, 'latin1'));
      expect(await send(latin1)).toEqual(stored(content));
    }
  });

  it.each([
    ['name="f"; filename="r\u00e9sum\u00e9 \u{1f600}.txt"', 'r\u00e9sum\u00e9 \u{1f600}.txt'],
    ['name="f"; filename="../../a.txt"', '../../a.txt'],
    ['name="f"; filename="a%22b%0D%0Ac%25.txt"', 'a"b\r\nc%25.txt'],
    ['name="__proto__"; filename="constructor"', 'constructor'],
  ])('has the name that the client gave: %s', async (disposition, filename) => {
    expect(await send(file('hello', disposition) + end)).toEqual(stored('hello', filename));
  });

  it('415: a compressed body', async () => {
    const { refusal } = await send(file('hello') + end, { 'Content-Encoding': 'gzip' });
    expect(refusal?.[0]).toBe('unsupported-media-type');
  });

  it.each<[string, string, Body]>([
    ['no headers', 'A part of the form is not form-data.', `--XYZ\r\n\r\nhello\r\n${end}`],
    [
      'a disguise',
      'The file must not have a transfer encoding.',
      file('aGVsbG8=', undefined, 'Content-Transfer-Encoding: base64\r\n') + end,
    ],
    [
      'bad UTF-8',
      'The headers of a part must be UTF-8.',
      Buffer.from(file('hello', 'name=f; filename="\xff"') + end, 'latin1'),
    ],
    ['101 parts', 'The form has more than 100 parts.', field('a', '').repeat(100) + file('hello') + end],
  ])('400: %s', async (_what, detail, body) => {
    expect(await send(body)).toEqual({ refusal: ['malformed', detail, {}] });
  });

  it.each<[string, Body]>([
    ['fields', field('a', 'x'.repeat(40_000)) + field('b', 'x'.repeat(40_000)) + file('hello') + end],
    ['headers', field('a', '1').replaceAll('name', `${'x'.repeat(70_000)}: y\r\nname`)],
  ])('413: too much of %s', async (_what, body) => {
    const { refusal } = await send(body, { 'Transfer-Encoding': 'chunked' });
    expect(refusal?.[0]).toBe('too-large');
    expect(refusal?.[2]).toEqual({ Connection: 'close' });
  });
});
