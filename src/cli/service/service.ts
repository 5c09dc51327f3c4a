import cluster from 'node:cluster';
import { type AddressInfo, type Server, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { entities } from '../../features.js';
import { type BlobStore } from '../../tasks/files/blob-store.js';
import { type Config } from '../../config.js';
import { type Logger } from '../../common/logger.js';
import { Health } from '../../common/ops/health.js';
import { freePort, listen, type ListenAddress } from '../../common/ops/listen.js';
import { publicAddress } from '../../common/public-address.js';
import { serviceVersion } from '../../common/version.js';
import { createServer } from './app.js';
import { type DataFolder, openThrowAwayFolder } from '../../attachments/stores/folder-store.js';
import { openBlobStore, shownBlobStore } from '../../attachments/stores/open-blob-store.js';
import { shownDatabase, type Database, openDatabase } from '../../common/database/open-database.js';
import { unknownMigrations } from '../../common/database/migrate.js';

/** A listening service, and the resources to close after it. */
export interface RunningService {
  readonly app: NestExpressApplication;
  readonly address: AddressInfo;
  /** The configuration with the chosen port and, for a throw-away database, with the throw-away folder. */
  readonly config: Config;
  readonly folder: DataFolder;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly key: string | undefined;
}

/** Prepares a database before clients can reach the service; returns an API key to print, if any. */
export type Prepare = (database: Database, config: Config) => Promise<string | undefined>;

/** Starts the service. Closes everything again if the start fails. */
export async function startService(
  asked: Config,
  logger: Logger,
  prepare: Prepare,
  variable: ListenAddress['variable'] = 'PORT',
): Promise<RunningService> {
  if (isFirst()) for (const warning of asked.warnings) logger.warn(warning);
  const opened: { close(): Promise<void> }[] = [];
  try {
    const folder = await openDataFolder(asked);
    opened.unshift(folder);
    // Chooses the port now, because executions that run during the start may write URLs with this port.
    const port = asked.port === 0 ? await freePort(asked.host) : asked.port;
    const config = { ...asked, dataDir: folder.path, port };
    const database = await openDatabase(config, logger, { isServer: true, entities });
    opened.unshift(database);
    const unknown = isFirst() ? await unknownMigrations(database.dataSource) : undefined;
    if (unknown) logger.warn({ migrations: unknown.names }, unknown.message);
    const blobs = await openBlobStore(config);
    opened.unshift(blobs);
    const key = await prepare(database, config);
    const app = await createServer({ config, dataSource: database.dataSource, blobs, logger });
    opened.unshift(app);
    const address = await listen(app.getHttpServer(), { ...config, variable });
    if (isFirst()) logStart(config, address, database, logger);
    return { app, address, config, folder, database, blobs, key };
  } catch (error) {
    for (const each of opened) await each.close();
    throw error;
  }
}

function logStart(config: Config, address: AddressInfo, database: Database, logger: Logger): void {
  logger.info(startLine(config, address, database.migrated), 'started');
  if (!isAddressKnown(config))
    logger.warn(`PUBLIC_URL is not set: Task URL, sign-in links and links to next pages begin with ${publicAddress(config)}`); // prettier-ignore
}

/** Whether clients can reach the service at the address with which its links begin. */
function isAddressKnown({ publicUrl, taskUrl, role, host }: Config): boolean {
  if (role === 'worker') return (publicUrl ?? taskUrl) !== undefined;
  return publicUrl !== undefined || ['127.0.0.1', '::1', 'localhost'].includes(host);
}

/** Whether this process is the first one. Only the first process logs what all processes have in common. */
export const isFirst = (): boolean => cluster.worker === undefined || cluster.worker.id === 1;

/** Returns the log entry for the start of the service. The entry contains no passwords and no keys. */
function startLine(config: Config, { address, port }: AddressInfo, migrated: readonly string[]): object {
  const { role, metricsPort, redisUrl } = config;
  return {
    version: serviceVersion,
    role,
    host: address,
    port,
    ...(metricsPort !== undefined && { metrics_port: metricsPort }),
    database: shownDatabase(config),
    redis: redisUrl === undefined ? 'none' : shownUrl(redisUrl),
    blobs: shownBlobStore(config),
    migrated,
  };
}

/** Returns an address without user, password and query. */
function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/**
 * Reports not ready, waits until load balancers notice, and closes the port. Then waits for connections to
 * end, answers running requests, and closes all resources.
 */
export async function stopService({ app, config, folder, database, blobs }: RunningService): Promise<void> {
  const { drainMs } = config;
  const server = app.getHttpServer();
  const health = app.get(Health);
  setTimeout(() => process.exit(1), 2 * drainMs + ANSWERS_MS + CLOSING_MS).unref();
  health.stop();
  await pause(drainMs);
  await whenNobodyComes(server);
  health.endsConnections = true;
  // From now on, every answer closes its connection, and proxies close idle ones, so connections end soon.
  await Promise.race([stopAccepting(server), pause(drainMs)]);
  await closeConnections(app);
  await blobs.close();
  await database.close();
  await folder.close();
}

/**
 * Waits until no client connects during a short turn of the event loop, but for at most one second. Closing
 * the port would reset the connections that wait to be accepted, and clients do not repeat a POST.
 */
async function whenNobodyComes(server: Server): Promise<void> {
  let hasCome = true;
  const come = (): void => { hasCome = true; }; // prettier-ignore
  server.on('connection', come);
  for (const end = performance.now() + NOBODY_MS; hasCome && performance.now() < end;) {
    const begun = performance.now();
    hasCome = false;
    await nextTurn();
    if (performance.now() - begun > SHORT_TURN_MS) hasCome = true;
  }
  server.off('connection', come);
}

/** Closes only the port. `close` of HTTP servers would also end idle connections at once. */
async function stopAccepting(server: Server): Promise<void> {
  await new Promise((ended) => TcpServer.prototype.close.call(server, ended));
}

async function closeConnections(app: NestExpressApplication): Promise<void> {
  const server = app.getHttpServer();
  // `setImmediate` runs after the event loop has polled the sockets. A connection with a new request is
  // then not closed as idle.
  const idle = setInterval(() => setImmediate(() => { server.closeIdleConnections(); }), 50); // prettier-ignore
  const late = setTimeout(() => { server.closeAllConnections(); }, ANSWERS_MS); // prettier-ignore
  await app.close();
  clearInterval(idle);
  clearTimeout(late);
}

const ANSWERS_MS = 10_000;
const CLOSING_MS = 10_000;
const NOBODY_MS = 1000;
const SHORT_TURN_MS = 0.2;

/**
 * Opens the folder of attachments and of the outbox. A throw-away database gets a throw-away folder. If several
 * processes share the database, their parent process has opened the folder.
 */
async function openDataFolder({ ephemeral, embeddedUrl, dataDir }: Config): Promise<DataFolder> {
  if (ephemeral && embeddedUrl === undefined) return openThrowAwayFolder();
  return { path: dataDir, close: () => Promise.resolve() };
}
