import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NestExpressApplication } from '@nestjs/platform-express';
import request, { type Response, type Test } from 'supertest';
import { type DataSource } from 'typeorm';
import { createApiKey } from '../../src/access/api-keys.js';
import { type BlobStore } from '../../src/tasks/files/blob-store.js';
import { type Config, type Environment, readConfig, type TestOptions } from '../../src/config.js';
import { applyDefinition, type ApplyOptions } from '../../src/workflows/definition/apply-definition.js';
import { planDefinition } from '../../src/workflows/definition/plan-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { type KeyScope } from '../../src/common/column-values.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { createLogger, type Logger } from '../../src/common/logger.js';
import { openBlobStore } from '../../src/attachments/stores/open-blob-store.js';
import { createServer } from '../../src/cli/service/app.js';
import { SignInLetters } from '../../src/messages/sign-in-letters.js';
import { JobRunner } from '../../src/common/jobs/job-runner.js';
import { type DescribedAnswers, describedAnswers } from './described-answers.js';
import { createTestDatabase } from './database.js';
import { type Proxy } from './proxy.js';
import { told } from './told.js';
import { movableTime } from './movable-time.js';
import { isSoak, patience } from './until.js';
import { optionsIn, testOptions } from './test-options.js';

export interface TestService {
  readonly app: NestExpressApplication;
  readonly dataSource: DataSource;
  readonly config: Config;
  readonly blobs: BlobStore;
  readonly url: string;
  /** The proxy between the service and PostgreSQL, if it was requested. */
  readonly proxy: Proxy | undefined;
  /** Applies a definition written in YAML. */
  apply(yaml: string, options?: ApplyOptions): Promise<void>;
  /** What applying it would do. */
  plan(yaml: string, options?: Parameters<typeof planDefinition>[2]): ReturnType<typeof planDefinition>;
  /**
   * Runs all background work that is due, until nothing is, after the time was moved. Throws if a job threw, unless it
   * may fail.
   */
  settle(options?: SettleOptions): Promise<void>;
  key(workspace: string, scope?: KeyScope): Promise<string>;
  /** A client with this key. */
  client(key: string): Client;
  /** Applies a definition, and makes a client of its workspace. */
  clientOf(yaml: string, scope?: KeyScope): Promise<Client>;
  stop(): Promise<void>;
}

export interface Client {
  get(path: string): Test;
  post(path: string, body?: string | object): Test;
  put(path: string, body?: string | object): Test;
  delete(path: string): Test;
  /** The body that GET answers with 200. */
  read<T = unknown>(path: string): Promise<T>;
  /** The body that POST answers with 200 or 201. */
  send<T = unknown>(path: string, body: string | object): Promise<T>;
  /** The errors that POST answers with 422. */
  refusal(path: string, body: string | object): Promise<unknown>;
}

export interface SettleOptions {
  /** When it is: an instant, as ISO 8601. */
  readonly at?: string;
  /** How many milliseconds later it is than now. */
  readonly after?: number;
  /** Only jobs of this kind. */
  readonly kind?: string;
  /** Only jobs of this workspace. */
  readonly workspace?: string;
  readonly mayFail?: boolean;
}

/** What a test asks may take long on a slow machine; background work waits for `settle`. */
const usualOptions: Partial<TestOptions> = {
  background: isSoak ? 'always' : 'asked',
  requestMs: patience,
};

/** Starts the service on its own database; many may run in parallel. */
export async function startService(
  environment: Environment = {},
  logger: Logger = createLogger('silent'),
  options: Parameters<typeof createTestDatabase>[0] = {},
): Promise<TestService> {
  const database = await createTestDatabase(options);
  const { dataSource, proxy } = database;
  const folder = await mkdtemp(join(tmpdir(), 'wts-test-blobs-'));
  const config = readConfig({
    DATABASE_URL: database.url,
    WTS_BLOB_STORE: folder,
    ...environment,
    ...testOptions({ ...usualOptions, ...optionsIn(environment) }),
  });
  const blobs = await openBlobStore(config);
  const app = await createServer({ config, dataSource, blobs, logger });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const described = await describedAnswers(app);
  const time = movableTime(dataSource);
  const apply: TestService['apply'] = async (yaml, options) => {
    await applyDefinition(dataSource, readDefinition(yaml, 'test.yaml'), options);
    await told({ app, dataSource });
  };
  const key: TestService['key'] = async (slug, scope = 'write') => {
    const { id } = await workspaceOf(dataSource, slug);
    return createApiKey(dataSource.manager, { workspaceId: id, name: 'test', scope, expiresAt: null });
  };
  return {
    app,
    dataSource,
    config,
    blobs,
    url,
    proxy,
    apply,
    plan: (yaml, options) => planDefinition(dataSource, readDefinition(yaml, 'test.yaml'), options),
    key,
    async settle({ at, after, kind, workspace, mayFail } = {}) {
      if (at !== undefined) await time.move(new Date(at));
      if (after !== undefined) await time.move(after);
      const of = workspace === undefined ? undefined : await workspaceOf(dataSource, workspace);
      const isWanted = (job: object): boolean =>
        of === undefined || Reflect.get(job, 'workspaceId') === of.id;
      await app.get(SignInLetters, { strict: false }).settle();
      await app.get(JobRunner, { strict: false }).settle({ kind, isWanted, mayFail });
    },
    client: (key) => client(app.getHttpServer(), described, key),
    async clientOf(yaml, scope) {
      await apply(yaml);
      const { workspace } = readDefinition(yaml, 'test.yaml').definition;
      return client(app.getHttpServer(), described, await key(workspace.id, scope));
    },
    async stop() {
      const closed = app.close();
      // Otherwise the service would wait for unused connections of clients.
      app.getHttpServer().closeAllConnections();
      await closed;
      time.restore();
      await blobs.close();
      await database.drop();
      // A write that its client has left may still be on its way.
      await rm(folder, { recursive: true, maxRetries: 10 });
    },
  };
}

/** A service, and a client of the workspace of its first definition, with `key`. */
export interface Serving {
  readonly service: TestService;
  readonly api: Client;
  readonly key: string;
}

export async function serve(
  definitions: string | readonly string[],
  environment?: Environment,
  scope?: KeyScope,
): Promise<Serving> {
  const service = await startService(environment);
  const all = [definitions].flat();
  for (const yaml of all) await service.apply(yaml);
  const [id] = all.map((yaml) => readDefinition(yaml, 'test.yaml').definition.workspace.id);
  const key = id === undefined ? '' : await service.key(id, scope);
  return { service, api: service.client(key), key };
}

/** Starts one service for all tests of a file, and stops it after the last. */
export async function startServiceWith(...served: Parameters<typeof serve>): Promise<Serving> {
  const serving = await serve(...served);
  afterAll(() => serving.service.stop());
  return serving;
}

const workspaceOf = ({ manager }: DataSource, slug: string): Promise<WorkspaceEntity> =>
  manager.findOneByOrFail(WorkspaceEntity, { slug });

// Opening a connection costs a client as much as the rest of a request.
const agent = new Agent({ keepAlive: true });

/** Checks every answer against the OpenAPI document. */
function client(server: Server, described: DescribedAnswers, key: string): Client {
  const send = (test: Test, body?: string | object): Test => {
    const authorized = Object.assign(test, { _assertStatus: assertStatus })
      .agent(agent)
      .set('Authorization', `Bearer ${key}`)
      .expect((response) => {
        described.check(test.method, new URL(test.url).pathname, response);
      });
    return body === undefined ? authorized : authorized.set('Content-Type', 'application/json').send(body);
  };
  const get = (path: string): Test => send(request(server).get(path));
  const post = (path: string, body?: string | object): Test => send(request(server).post(path), body);
  return {
    get,
    post,
    put: (path, body) => send(request(server).put(path), body),
    delete: (path) => send(request(server).delete(path)),
    read: async <T>(path: string) => (await get(path).expect(200)).body as T,
    send: async <T>(path: string, body: string | object) => (await post(path, body).expect(isDone)).body as T,
    refusal: async (path, body) => ((await post(path, body).expect(422)).body as { errors: unknown }).errors,
  };
}

function isDone({ status, text }: Response): void {
  if (status !== 200 && status !== 201)
    throw new Error(`expected 200 or 201, got ${status}: ${text.slice(0, 1000)}`);
}

/** supertest's error for an unexpected status, with the answer that explains it. */
const assertStatus = (expected: number, { status, text }: Response): Error | undefined =>
  status === expected ? undefined : new Error(`expected ${expected}, got ${status}: ${text.slice(0, 1000)}`);

/** Makes new tasks of this service begin at version 1, so that tests can count changes. */
export async function countVersionsFromOne({ dataSource }: TestService): Promise<void> {
  await dataSource.query('ALTER TABLE tasks ALTER version_offset SET DEFAULT 0');
}
