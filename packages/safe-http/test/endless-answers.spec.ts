import { createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Outbound } from '../client.js';
import { closeAll, closers, failure, inside, limits, listen, type Page, pages } from './network.js';

afterAll(closeAll);

const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const tooMany = 'the server sent more than 16 informational answers';
const tooLong = 'the server sent more than 65536 bytes beside the body';

describe('an answer that does not end', () => {
  const table = new Map<string, Page>();
  let outbound: Outbound;
  let base: string;

  beforeAll(async () => {
    const { port } = await listen(createServer(pages(table)), inside);
    outbound = new Outbound({ allow: [`${inside}/32`] });
    closers.push(() => outbound.close());
    base = `http://${inside}:${port}`;
  });

  const request = async (answer: string): Promise<string> => {
    table.set('/', (socket) => socket.end(answer));
    const { body } = await outbound.request(`${base}/`, limits(10 ** 6));
    return (await buffer(body)).toString();
  };

  it.each([
    ['informational answers', hint.repeat(17), tooMany],
    ['the reason of its status', `HTTP/1.1 200 ${'Fine'.repeat(20_000)}`, tooLong],
    ['the size of a chunk', `${chunked}${'0'.repeat(80_000)}`, tooLong],
    ['extensions of chunks', `${chunked}${`1;${'x'.repeat(100)}\r\ny\r\n`.repeat(800)}`, tooLong],
  ])('is given up: %s', async (_, answer, message) => {
    expect(await failure(request(answer))).toEqual({ reason: 'invalid answer', message });
  });

  it('may have 16 informational answers, small chunks, and trailers', async () => {
    const lines = Array.from({ length: 1000 }, (_, line) => `line ${line}\n`);
    const chunks = lines.map((line) => `${line.length.toString(16)}\r\n${line}\r\n`).join('');
    expect(await request(`${hint.repeat(16)}${chunked}${chunks}0\r\nx: y\r\n\r\n`)).toBe(lines.join(''));
  });
});
