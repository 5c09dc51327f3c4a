import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { readConfig } from '../../../src/config.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';

describe('a service that stops', () => {
  let database: TestDatabase;
  const started: OtherProcess[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    for (const each of started.splice(0)) await each.kill();
  });
  afterAll(() => database.drop());

  async function start(drainMs: number): Promise<OtherProcess> {
    const service = await startOtherProcess(database.url, { WTS_DRAIN_MS: String(drainMs) });
    started.push(service);
    return service;
  }

  it('goes on for 5 s by default, but for one that nobody balances loads on', () => {
    const drains = [{}, { WTS_EPHEMERAL: '1' }, { WTS_ROLE: 'worker' }].map(
      (each) => readConfig(each).drainMs,
    );
    expect(drains).toEqual([5000, 0, 0]);
  });

  it('fails no request of those who heed /health/ready, nor any on a kept connection', async () => {
    // So long this process may have no turn before it sees that one is not ready.
    const [leaving, staying] = await Promise.all([start(5000), start(5000)]);
    const ready = new Set([leaving.url, staying.url]);
    const failures: unknown[] = [];
    let answered = 0;
    const over = new AbortController();
    const isOver = (): boolean => over.signal.aborted;

    const watch = async (): Promise<void> => {
      while (!isOver()) {
        for (const url of [leaving.url, staying.url])
          if ((await ask(`${url}/health/ready`, false).catch(() => 0)) !== 200) ready.delete(url);
        await pause(100);
      }
    };
    const heed = async (thinkMs: number): Promise<void> => {
      const agent = new Agent({ keepAlive: true });
      for (let n = 0; !isOver(); n += 1) {
        const url = [...ready][n % ready.size] ?? '';
        await ask(`${url}/health/live`, agent).then(() => (answered += 1), (error: unknown) => failures.push(error)); // prettier-ignore
        await pause(Math.random() * thinkMs);
      }
      agent.destroy();
    };
    // Sends to the one that leaves for as long as there is anybody.
    const persist = async (): Promise<void> => {
      const agent = new Agent({ keepAlive: true });
      const refusals: unknown[] = [];
      while (refusals.length === 0) {
        await ask(`${leaving.url}/health/live`, agent).then(() => (answered += 1), (error: unknown) => {
          refusals.push(error);
          if (Reflect.get(Object(error), 'isKept') === true) failures.push(error);
        }); // prettier-ignore
        await pause(Math.random() * 20);
      }
      agent.destroy();
    };
    const clients = [watch(), persist(), persist(), ...[0, 0, 10, 10, 100, 500].map(heed)];
    await pause(500);
    const code = await leaving.stop();
    await pause(300);
    over.abort();
    await Promise.all(clients);
    expect({ code, failures }).toEqual({ code: 0, failures: [] });
    expect(answered).toBeGreaterThan(200);
    expect([...ready]).toEqual([staying.url]);
  });

  it('keeps connections while it drains, and answers what comes on them when the port is closed: the last answer', async () => {
    const service = await start(8000);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const url = `${service.url}/health/live`;
    expect(await connectionHeader(url, agent)).toBe('keep-alive');
    const ended = service.stop();
    await until(async () => (await ask(`${service.url}/health/ready`, false)) === 503);
    expect(await connectionHeader(url, agent)).toBe('keep-alive');
    await until(async () => (await ask(url, false).catch(() => 'refused')) === 'refused');
    expect(await connectionHeader(url, agent)).toBe('close');
    expect(await ended).toBe(0);
    agent.destroy();
  });

  it('lets nobody wait where nobody has been', async () => {
    expect(await (await start(60_000)).stop()).toBe(0);
  });

  it('cuts the draining short at the second signal', async () => {
    const service = await start(60_000);
    const socket = connect(Number(new URL(service.url).port), 'localhost').on('error', () => undefined);
    await new Promise((connected) => socket.once('connect', connected));
    await ask(`${service.url}/health/live`, false);
    const ended = service.stop();
    while ((await ask(`${service.url}/health/ready`, false)) !== 503) await pause(20);
    // Two signals within a second are one that came twice.
    await pause(1100);
    process.kill(service.pid, 'SIGTERM');
    socket.end();
    expect(await ended).toBe(0);
  });
});

/** What an answer says of its connection. */
function connectionHeader(url: string, agent: Agent): Promise<string | undefined> {
  return new Promise((answered, fail) => {
    const request = get(url, { agent }, (response) => {
      response.resume().once('end', () => { answered(response.headers.connection); }); // prettier-ignore
    });
    request.once('error', fail);
  });
}

/** The status of an answer; a failure says whether it was on a kept connection. */
function ask(url: string, agent: Agent | false): Promise<number | undefined> {
  return new Promise((answered, fail) => {
    const request = get(url, { agent }, (response) => {
      response.resume().once('end', () => { answered(response.statusCode); }).once('error', fail); // prettier-ignore
    });
    request.once('error', (error) => {
      fail(Object.assign(error, { isKept: request.reusedSocket }));
    });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
