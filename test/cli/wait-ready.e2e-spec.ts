import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { waitReadyCommand } from '../../src/cli/service.commands.js';
import { wts } from '../support/command-line.js';

describe('wts wait-ready', () => {
  it('waits until the service is ready, and says for how long', async () => {
    let asked = 0;
    const service = createServer((_, response) => {
      response.writeHead((asked += 1) > 2 ? 200 : 503).end('{}');
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const { code, out } = await wts(waitReadyCommand(), ['--url', `${url}/`, '--timeout', '20s'], '');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ is ready after \d+\.\d s\n$/),
    ]);
    expect(asked).toBe(3);
    service.close();
  });

  it('gives up in time, and says what stood in the way', async () => {
    const now = Date.now.bind(Date);
    let passed = 0;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + passed);
    const service = createServer((_, response) => {
      // The time is up once it has answered, however long that took.
      passed = 60_000;
      response.writeHead(503).end();
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const ended = await wts(waitReadyCommand(), ['--url', url, '--timeout', '60s'], '');
    clock.mockRestore();
    expect(ended).toEqual({
      code: 1,
      out: '',
      err: `${url} was not ready within 60 s: it answers 503\n`,
    });
    await new Promise((closed) => service.close(closed));
    // Each look at the clock takes two seconds.
    const slow = jest.spyOn(Date, 'now').mockImplementation(() => now() + (passed += 2000));
    const { err } = await wts(waitReadyCommand(), ['--url', url, '--timeout', '5s'], '');
    slow.mockRestore();
    expect(err).toMatch(/ was not ready within 5 s: connect ECONNREFUSED/);
  });
});
