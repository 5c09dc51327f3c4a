import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '../../support/database.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';

const database = await createTestDatabase();
const processes = [await startOtherProcess(database.url), await startOtherProcess(database.url)];
// What a start does is over.
await sleep(5000);

// Promise: an idle service makes one statement a second, with however many processes, and has 150 MB, also after load.
describe('an idle service', () => {
  afterAll(async () => {
    for (const each of processes) await each.kill();
    await database.drop();
  });

  const statements = async (): Promise<number> => {
    const [row] = await database.dataSource.query<[{ count: string }]>(
      'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(row.count);
  };

  it('makes about one statement a second, even with two processes', async () => {
    const before = await statements();
    await sleep(20_000);
    // PostgreSQL cleans up by transactions of its own, and statistics are looked at now and then.
    expect((await statements()) - before).toBeLessThan(100);
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux('gives its memory back when load has ended', async () => {
    const [{ url, pid }] = processes as [OtherProcess];
    const end = performance.now() + 8000;
    const load = async (): Promise<void> => {
      while (performance.now() < end) await (await fetch(`${url}/api/v1/openapi.json`)).arrayBuffer();
    };
    await Promise.all(Array.from({ length: 32 }, load));
    await sleep(45_000);
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    expect(Number(kilobytes) / 1024).toBeLessThan(150);
  });
});
