import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { boundedBody } from '../client.js';
import { OutboundFailure } from '../failure.js';

const failure = (error: unknown): OutboundFailure =>
  error instanceof OutboundFailure ? error : new OutboundFailure('unreachable');
const closed = (stream: Readable): Promise<unknown> =>
  new Promise((resolve) => stream.once('close', resolve));
const source = (...chunks: string[]): Readable => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('a bounded body', () => {
  it.each([
    ['ends where its source does', 10, undefined, 'abcd'],
    ['may be as long as the bound', 4, 4, 'abcd'],
    ['may be empty', 0, 0, ''],
  ])('%s', async (_, maxBytes, announced, text) => {
    const body = boundedBody(source(...text), { maxBytes, announced }, failure);
    expect((await buffer(body)).toString()).toBe(text);
  });

  it.each([
    ['more than the bound', 3, undefined, 'it is larger than 3 bytes'],
    ['less than announced', 10, 5, 'the answer broke off'],
  ])('fails by %s, and ends its source', async (_, maxBytes, announced, message) => {
    const endless = source('ab', 'cd');
    await expect(buffer(boundedBody(endless, { maxBytes, announced }, failure))).rejects.toThrow(message);
    expect(endless.destroyed).toBe(true);
  });

  it('fails as its source does, by another name, though nobody listens', async () => {
    const broken = new Readable({ read: () => undefined });
    const body = boundedBody(broken, { maxBytes: 1 }, failure);
    broken.destroy(new Error('10.0.0.1 said no'));
    await closed(broken);
    await expect(buffer(body)).rejects.toThrow('the server could not be reached');
  });

  it('ends its source when its reader gives up', async () => {
    const endless = new Readable({ read: () => undefined });
    boundedBody(endless, { maxBytes: 1 }, failure).destroy();
    await closed(endless);
    expect(endless.destroyed).toBe(true);
  });
});
