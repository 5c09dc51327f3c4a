import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { entities } from '../../../src/features.js';
import { createApiKey } from '../../../src/access/api-keys.js';
import { createDataSource } from '../../../src/common/database/data-source.js';
import { migrate } from '../../../src/common/database/migrate.js';
import { applyDefinition } from '../../../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { acquireEmbeddedPostgres } from '../../../packages/local-postgres/local-postgres.js';
import { serverPid } from '../../support/embedded-users.js';
import { startReceiver } from '../../support/receiver.js';
import { startOwnRedis } from '../../support/redis.js';
import { testOptions } from '../../support/test-options.js';
import { until } from '../../support/until.js';
import { Fleet } from './fleet.js';

export type Setting = Awaited<ReturnType<typeof startSetting>>;

/** `status` is 0 where the connection was lost. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export const leaseMs = 1000;

/** Starts everything in processes of its own: APIs, workers, PostgreSQL, Redis, and a system that they call. */
export async function startSetting(definition: (receiverUrl: string) => string) {
  const folder = await mkdtemp(join(tmpdir(), 'wts-faults-'));
  const postgres = await acquireEmbeddedPostgres({ dataDir: join(folder, 'data'), ephemeral: false });
  await migrate(postgres.url, entities);
  const options = { url: postgres.url, entities, poolSize: 4, onIdleError: () => undefined };
  const dataSource = await (await createDataSource(options)).initialize();
  const receiver = await startReceiver();
  await applyDefinition(dataSource, readDefinition(definition(receiver.url), 'faults.yaml'));
  await dataSource.query('ALTER TABLE tasks ALTER version_offset SET DEFAULT 0');
  const about = { name: 'faults', scope: 'admin', expiresAt: null } as const;
  const apiKey = await createApiKey(dataSource.manager, { workspaceId: 1, ...about });
  let redis = await startOwnRedis();
  const settings = {
    REDIS_URL: redis.url,
    WTS_BLOB_STORE: join(folder, 'blobs'),
    // What ends here is to end by what it does, however slow the machine is.
    ...testOptions({ leaseMs, executionMs: 3_600_000, webhookDelaysMs: [0, 200, 200, 200, 200, 200] }),
    WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
    WTS_LOG_LEVEL: 'silent',
  };
  const apis = new Fleet(postgres.url, { ...settings, WTS_ROLE: 'api' });
  const workers = new Fleet(postgres.url, { ...settings, WTS_ROLE: 'worker' });
  await Promise.all([apis.start(2), workers.start(3)]);
  const dispatcher = new Agent({ connections: 64 });

  async function send(method: string, path: string, body?: object, more: object = {}): Promise<Answer> {
    const up = apis.up();
    const url = up[Math.floor(Math.random() * up.length)]?.url ?? '';
    const type = body && { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${apiKey}`, ...type, ...more };
    try {
      const sent = { method: method as 'GET', headers, dispatcher, body: body ? JSON.stringify(body) : null };
      const { statusCode: status, headers: answered, body: stream } = await request(url + path, sent);
      const text = await stream.text();
      return { status, headers: answered, body: text === '' ? undefined : JSON.parse(text) };
    } catch {
      return { status: 0, headers: {}, body: undefined };
    }
  }

  return {
    ...{ receiver, apis, workers, send },
    get redis() {
      return redis;
    },
    /** Sends, again where there was no answer or the database was away. */
    async answered(...sent: Parameters<typeof send>): Promise<Answer> {
      let answer = await send(...sent);
      await until('an answer', async () => {
        if ([0, 503].includes(answer.status)) answer = await send(...sent);
        return ![0, 503].includes(answer.status);
      });
      return answer;
    },
    query: <T>(text: string, values: readonly unknown[] = []) => dataSource.query<T[]>(text, [...values]),
    stopRedis: () => redis.stop(),
    async startRedis() {
      redis = await startOwnRedis(redis);
    },
    /** Ends PostgreSQL as a crash would; it comes back by itself. */
    async crashPostgres() {
      process.kill(await serverPid(join(folder, 'data')), 'SIGQUIT');
    },
    async stop() {
      await Promise.all([apis.stop(), workers.stop()]);
      await dispatcher.destroy();
      await redis.stop();
      receiver.stop();
      await dataSource.destroy();
      await postgres.release();
      await rm(folder, { recursive: true });
    },
  };
}
