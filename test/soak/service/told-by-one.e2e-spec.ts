import { freePort } from '../../support/free-port.js';
import { createTestDatabase } from '../../support/database.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';

const shared = ['wts_executions', 'wts_webhooks', 'wts_messages', 'wts_database_bytes'];

it('what is told of the whole database is told by one process of two servers, so that a sum is right; when that is killed, by another', async () => {
  const database = await createTestDatabase();
  const servers: OtherProcess[] = [];
  const start = async (processes: Record<string, string>): Promise<() => Promise<string>> => {
    const port = await freePort();
    const environment = { WTS_METRICS_PORT: String(port), WTS_ROLE: 'api', ...processes };
    servers.push(await startOtherProcess(database.url, environment));
    return async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  };
  const toldIn = (text: string): string[] =>
    shared.filter((name) => new RegExp(`^${name}[{ ]`, 'm').test(text));
  try {
    const first = await start({});
    const second = await start({ WTS_PROCESSES: '2' });
    // What cannot be read in time is left out.
    await until(async () => toldIn(await first()).length === shared.length);
    const text = await second();
    expect(toldIn(text)).toEqual([]);
    // What each has for itself everybody tells.
    expect(text).toMatch(/^wts_database_waiting 0$/m);
    await servers[0]?.kill();
    await until(async () => toldIn(await second()).length === shared.length);
  } finally {
    for (const server of servers) await server.kill();
    await database.drop();
  }
});
