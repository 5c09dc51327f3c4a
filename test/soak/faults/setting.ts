import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { type DataSource } from 'typeorm';
import { entities } from '../../../src/features.js';
import { createApiKey } from '../../../src/access/api-keys.js';
import { createDataSource } from '../../../src/common/database/data-source.js';
import { migrate } from '../../../src/common/database/migrate.js';
import { applyDefinition } from '../../../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { acquireEmbeddedPostgres } from '../../../packages/local-postgres/local-postgres.js';
import { serverPid } from '../../support/embedded-users.js';
import { startOwnRedis, type TestRedis } from '../../support/redis.js';
import { Fleet } from './fleet.js';
import { type Receiver, startReceiver } from './receiver.js';
import { testOptions } from '../../support/test-options.js';

/** Everything in processes of its own: an API, four workers, PostgreSQL, Redis, and a system that they call. */
export interface Setting {
  readonly dataSource: DataSource;
  readonly receiver: Receiver;
  readonly workers: Fleet;
  readonly redis: TestRedis;
  /** An answer of the API, or status 0 where the connection was lost. */
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, key?: string): Promise<Answer>;
  stopRedis(): Promise<void>;
  startRedis(): Promise<void>;
  /** Ends PostgreSQL as a crash would; it comes back by itself. */
  crashPostgres(): Promise<void>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export const leaseMs = 1000;

/** Starts it all, with further settings. */
export async function startSetting(
  definition: (receiverUrl: string) => string,
  further: Readonly<Record<string, string>> = {},
): Promise<Setting> {
  const folder = await mkdtemp(join(tmpdir(), 'wts-faults-'));
  const postgres = await acquireEmbeddedPostgres({ dataDir: join(folder, 'data'), ephemeral: false });
  await migrate(postgres.url, entities);
  const dataSource = await createDataSource({
    url: postgres.url,
    entities,
    poolSize: 4,
    onIdleError: () => undefined,
  });
  await dataSource.initialize();
  const receiver = await startReceiver();
  await applyDefinition(dataSource, readDefinition(definition(receiver.url), 'faults.yaml'));
  const about = { name: 'faults', scope: 'write', expiresAt: null } as const;
  const apiKey = await createApiKey(dataSource.manager, { workspaceId: 1, ...about });
  let redis = await startOwnRedis();
  const environment = {
    REDIS_URL: redis.url,
    WTS_BLOB_STORE: join(folder, 'blobs'),
    // What ends here is to end by what it does, however slow the machine is.
    ...testOptions({ leaseMs, executionMs: 3_600_000 }),
    WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
    WTS_LOG_LEVEL: 'silent',
    ...further,
  };
  const api = new Fleet(postgres.url, { ...environment, WTS_ROLE: 'api' });
  const workers = new Fleet(postgres.url, { ...environment, WTS_ROLE: 'worker' });
  await Promise.all([api.start(1), workers.start(4)]);
  const agent = new Agent({ connections: 64 });
  return {
    dataSource,
    receiver,
    workers,
    redis,
    async send(method, path, body, key) {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      };
      const [one] = api.up();
      const options = { method, headers, dispatcher: agent, body: body ? JSON.stringify(body) : null };
      try {
        const answer = await request(`${one?.url ?? ''}${path}`, options);
        const text = await answer.body.text();
        return { status: answer.statusCode, body: text === '' ? undefined : JSON.parse(text) };
      } catch {
        return { status: 0, body: undefined };
      }
    },
    stopRedis: () => redis.stop(),
    async startRedis() {
      redis = await startOwnRedis(redis);
    },
    async crashPostgres() {
      process.kill(await serverPid(join(folder, 'data')), 'SIGQUIT');
    },
    async stop() {
      await Promise.all([api.stop(), workers.stop()]);
      await agent.destroy();
      await redis.stop();
      receiver.close();
      await dataSource.destroy();
      await postgres.release();
      await rm(folder, { recursive: true });
    },
  };
}
