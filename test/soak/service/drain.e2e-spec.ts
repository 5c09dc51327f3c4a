import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { readConfig } from '../../../src/config.js';
import { createTestDatabase } from '../../support/database.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';

const database = await createTestDatabase();

describe('a service that stops', () => {
  const started: OtherProcess[] = [];

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
    const DATABASE_URL = 'postgres://127.0.0.1/wts';
    const drains = [{ DATABASE_URL }, {}, { DATABASE_URL, WTS_ROLE: 'worker' }].map(
      (each) => readConfig(each).drainMs,
    );
    expect(drains).toEqual([5000, 0, 0]);
  });

  it('keeps connections while it drains, and answers what comes on them when the port is closed: the last answer', async () => {
    const service = await start(8000);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const url = `${service.url}/health/live`;
    expect(await connectionHeader(url, agent)).toBe('keep-alive');
    const ended = service.stop();
    await until(async () => (await ask(`${service.url}/health/ready`)) === 503);
    expect(await connectionHeader(url, agent)).toBe('keep-alive');
    await until(async () => (await ask(url).catch(() => 'refused')) === 'refused');
    expect(await connectionHeader(url, agent)).toBe('close');
    expect(await ended).toBe(0);
    agent.destroy();
  });

  it('cuts the draining short at the second signal', async () => {
    const service = await start(60_000);
    const socket = connect(Number(new URL(service.url).port), 'localhost').on('error', () => undefined);
    await new Promise((connected) => socket.once('connect', connected));
    await ask(`${service.url}/health/live`);
    const ended = service.stop();
    while ((await ask(`${service.url}/health/ready`)) !== 503) await pause(20);
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

/** The status of an answer. */
function ask(url: string): Promise<number | undefined> {
  return new Promise((answered, fail) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume().once('end', () => { answered(response.statusCode); }).once('error', fail); // prettier-ignore
    });
    request.once('error', fail);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
