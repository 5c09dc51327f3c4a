import { request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { newTask, tasksPath } from './cases.js';
import { openConnection } from './connection.js';
import { clean } from './database.js';
import { definition } from './definition.js';
import { requireSuccess } from './drive.js';
import { withLifetime } from './lifetime.js';
import { watchMemory } from './memory.js';
import { type Bench, openBench } from './open-bench.js';
import { say } from './say.js';
import { startTarget, type Target } from './target.js';

// npm run bench:batch: the same new tasks by one batch and by single POSTs over 32 connections.
await withLifetime(async (atEnd) => {
  const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' } } });
  const rows = Number(values.rows);
  const bench = await openBench(definition, atEnd);
  const env = { DATABASE_URL: bench.url };
  const service = await startTarget({ name: 'service', program: 'src/main.js', env }, atEnd);
  await postEach(bench, service, Math.min(rows, 2000));
  await empty(bench);
  const { result: batch, growth } = await watchMemory(service, () => postBatch(bench, service, rows));
  say(`batch    ${line(rows, batch)}, memory grew by ${(growth / 1e6).toFixed(0)} MB (at most 150)`);
  await empty(bench);
  const single = await postEach(bench, service, rows);
  say(`single   ${line(rows, single)}`);
  say(`the batch took ${(batch / single).toFixed(3)} of the time (at most 0.25)`);
});

async function empty({ db }: Bench): Promise<void> {
  await db.query('DELETE FROM tasks');
  await clean(db);
}

/** Seconds that one batch takes; its answer is read as it comes. */
async function postBatch({ key }: Bench, { port }: Target, rows: number): Promise<number> {
  const begun = performance.now();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path: `${tasksPath}/batch`, headers });
  const answered = new Promise<string>((resolve, reject) => {
    sent.once('response', (response) => {
      text(response).then(resolve, reject);
    });
    sent.once('error', reject);
  });
  await pipeline(Readable.from(pieces(rows)), sent);
  const created = (await answered).match(/"status":"created"/g)?.length ?? 0;
  if (created !== rows) throw new Error(`${created} of ${rows} rows made a task`);
  return (performance.now() - begun) / 1000;
}

function* pieces(rows: number): Generator<string> {
  for (let from = 0; from < rows; from += 100) {
    const length = Math.min(100, rows - from);
    yield Array.from({ length }, (_, at) => `${JSON.stringify(newTask(from + at))}\n`).join('');
  }
}

/** Seconds that single POSTs take over 32 connections. */
async function postEach({ ask }: Bench, { port }: Target, rows: number): Promise<number> {
  const begun = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    const connection = await openConnection(port);
    while (next < rows) {
      const one = ask('POST', tasksPath, newTask(next++));
      requireSuccess(one, await connection.send(one));
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: 32 }, work));
  return (performance.now() - begun) / 1000;
}

function line(rows: number, seconds: number): string {
  return `${rows} rows in ${seconds.toFixed(1)} s, ${(rows / seconds).toFixed(0)} rows/s`;
}
