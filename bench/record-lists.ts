import pg from 'pg';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config.js';
import { createLogger } from '../src/lib/logger.js';
import { openBlobs } from '../src/service.js';
import { createDataSource } from '../src/database/data-source.js';
import { createServer } from '../src/app.js';
import { openConnection, textOf } from './connection.js';
import { requireSuccess } from './drive.js';

/** A statement as it was sent to the pool. */
export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The statements on tasks by which the service answers a list, and the number of tasks in the answer. */
export interface RecordedList {
  readonly queries: readonly Query[];
  readonly shown: number;
}

/** Answers requests for lists by a service in this process, and records its statements meanwhile. */
export async function recordLists(url: string, requests: readonly string[]): Promise<RecordedList[]> {
  const recording = listen();
  const folder = await mkdtemp(join(tmpdir(), 'wts-bench-blobs-'));
  const config = readConfig({ DATABASE_URL: url, WTS_BLOB_STORE: folder });
  const app = await createServer({
    config,
    // Destroyed when the service is closed.
    dataSource: await createDataSource({ url, poolSize: 2, onIdleError: () => undefined }),
    blobs: await openBlobs(config),
    logger: createLogger('silent'),
  });
  await app.listen(0, '127.0.0.1');
  const connection = await openConnection(Number(new URL(await app.getUrl()).port));
  const lists: RecordedList[] = [];
  try {
    for (const request of requests) {
      recording.queries.length = 0;
      const answer = await connection.send(request);
      requireSuccess(request, answer);
      const shown = (JSON.parse(textOf(answer)) as unknown[]).length;
      lists.push({ queries: [...recording.queries], shown });
    }
  } finally {
    connection.close();
    recording.stop();
    await app.close();
    await rm(folder, { recursive: true });
  }
  return lists;
}

/** Records statements on tasks; keys and definitions are mostly in memory. */
function listen(): { readonly queries: Query[]; stop(): void } {
  const client = pg.Client.prototype as unknown as { query: (query: Query, ...rest: unknown[]) => unknown };
  const { query } = client;
  const queries: Query[] = [];
  client.query = function (statement, ...rest) {
    if (/\bFROM tasks\b/.test(statement.text)) {
      const { name, text, values } = statement;
      queries.push({ ...(name !== undefined && { name }), text, values });
    }
    return query.call(this, statement, ...rest);
  };
  const stop = (): void => {
    client.query = query;
  };
  return { queries, stop };
}
