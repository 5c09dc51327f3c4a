import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Cluster, type Folder, placeOf } from './cluster.js';
import { isAlive, run } from './process.js';

const START_TIMEOUT_MS = 120_000;
const MAX_LOG_BYTES = 1_000_000;

/** The key of an advisory lock. All processes that use the server share this lock. */
const USERS = '7828595, 1';

/**
 * Joins the processes that use the server: connects, and shares their lock. The kernel closes the connection
 * when this process ends. If no server runs, starts the server, on the port `wanted` if given. Other
 * processes may start and stop the server at the same time.
 */
export async function join(cluster: Cluster, wanted?: number): Promise<Client> {
  const password = await readPassword(cluster);
  let isStarted = false;
  for (const deadline = Date.now() + START_TIMEOUT_MS; ;) {
    let client: Client | undefined;
    try {
      // A new server takes the port of a killed server, because other processes reconnect to that port.
      const port = wanted ?? (await readPidFile(cluster.folder))?.port;
      client = await connect(cluster, password);
      if (client) {
        await client.query(`SELECT pg_advisory_lock_shared(${USERS})`);
        return client;
      }
      await start(cluster, wanted ?? (await freePort(port)));
      isStarted = true;
    } catch (error) {
      await client?.end().catch(() => undefined);
      if (isStarted && error instanceof WrongPassword) await stop(cluster);
      if (Date.now() > deadline || !mayPass(error)) throw error;
      await pause(50);
    }
  }
}

/** Leaves the server. The last process stops the server under a lock, so that no other process can join. */
export async function leave(cluster: Cluster, client: Client): Promise<void> {
  const isLast = await client
    .query(`SELECT pg_advisory_unlock_shared(${USERS})`)
    .then(() => client.query<{ last: boolean }>(`SELECT pg_try_advisory_lock(${USERS}) AS last`))
    .then(({ rows }) => rows[0]?.last === true)
    .catch(() => false);
  if (isLast) await stop(cluster);
  await client.end().catch(() => undefined);
}

/** Stops the server if it still runs. The processes that used the server were killed, or failed to join. */
export async function stopAbandoned(cluster: Cluster): Promise<void> {
  const client = await readPassword(cluster)
    .then((password) => connect(cluster, password))
    .catch(() => undefined);
  await client?.end();
  if (client) await stop(cluster);
}

/** Connects to the server that the pid file names. Undefined if the server is not ready or not running. */
async function connect({ folder }: Cluster, password: string): Promise<Client | undefined> {
  const { data } = folder;
  const found = await readPidFile(folder);
  if (!found) return undefined;
  const name = await nameOfServer(data);
  if (await isAlive(found.pid, named(name))) {
    const client = new Client({
      ...{ host: '127.0.0.1', port: found.port, user: 'wts', ssl: false },
      password,
      // Does not connect to `wts`, because a database with connections cannot be a template.
      ...{ database: 'postgres', application_name: 'wts embedded' },
      ...{ connectionTimeoutMillis: 5_000, statement_timeout: 10_000, keepAlive: true },
    });
    // Ignores errors here, because a connection with an error also emits `end`.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ cluster_name: string }>('SHOW cluster_name');
      if (rows[0]?.cluster_name === name) return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (codeOf(error).startsWith('28')) throw new WrongPassword(`The PostgreSQL on port ${found.port} refuses the password in ${folder.password}: ${REPAIR}`, { cause: error }); // prettier-ignore
      if (codeOf(error) !== 'ECONNREFUSED') throw error;
    }
    await client.end().catch(() => undefined);
    // The server is starting or stopping.
    if (!found.isReady) return undefined;
  }
  // Removes the pid file of a killed server. PostgreSQL would trust the file if another process had the same
  // pid.
  await rm(pidFileOf(data), { force: true });
  return undefined;
}

async function readPassword({ folder }: Cluster): Promise<string> {
  return readFile(folder.password, 'utf8').catch((cause: unknown) => {
    throw new Error(`The password of the PostgreSQL of this folder cannot be read from ${folder.password} (${codeOf(cause)}): ${REPAIR}`, { cause }); // prettier-ignore
  });
}

const REPAIR = 'bring this file back from a backup of the folder, or name another folder with WTS_DATA_DIR.';

async function start(cluster: Cluster, port: number): Promise<void> {
  const { data } = cluster.folder;
  const log = path.join(data, 'log');
  if (((await stat(log).catch(() => undefined))?.size ?? 0) > MAX_LOG_BYTES) await rm(log, { force: true });
  const { data: place, options } = placeOf(cluster);
  const flags = `-p ${port} -c ${named(await nameOfServer(data))}`;
  const args = ['start', '--silent', '--wait', '--timeout=120', '-D', place, '-l', 'log', '-o', flags];
  await run(path.join(cluster.bin, 'pg_ctl'), args, options).catch(async (cause: unknown) => {
    const end = (await readFile(log, 'utf8').catch(() => '')).split('\n').slice(-15).join('\n').trim();
    const text = `PostgreSQL did not start on ${data}. Fix the problem that the log shows, or move the folder away to start with an empty folder, or set DATABASE_URL to a PostgreSQL of yours. The end of ${log}:\n${end || String(cause)}`;
    throw occupied.test(end) ? new PassingObstacle(text, { cause }) : new Error(text, { cause });
  });
}

class WrongPassword extends Error {}

/** Another process is starting the server, a killed server is still ending, or the port has been taken. */
class PassingObstacle extends Error {}

const occupied = /"postmaster\.pid" (already exists|is empty)|is still in use|could not create any TCP\/IP sockets/; // prettier-ignore

/** Whether an error may be temporary. A starting server refuses connections; a stopping one ends them. */
function mayPass(error: unknown): boolean {
  const isLost = error instanceof Error && /^(Connection terminated|timeout)/.test(error.message);
  return error instanceof PassingObstacle || isLost || /^(E[A-Z]+|57P0\d|55P03|57014)$/.test(codeOf(error));
}

const codeOf = (error: unknown): string => String(Reflect.get(Object(error), 'code'));

/** Stops the running server. An ephemeral server stops at once and may lose data. */
async function stop(cluster: Cluster): Promise<void> {
  const { data, options } = placeOf(cluster);
  const mode = cluster.ephemeral ? 'immediate' : 'fast';
  const args = ['stop', '--silent', '--wait', '--timeout=60', `--mode=${mode}`, '-D', data];
  await run(path.join(cluster.bin, 'pg_ctl'), args, options);
}

interface PidFile {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

/** Reads pid, port and status from `postmaster.pid`. Undefined if the file is missing or incomplete. */
async function readPidFile({ data }: Folder): Promise<PidFile | undefined> {
  const lines = (await readFile(pidFileOf(data), 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid && port ? { pid, port, isReady: lines[7]?.trim() === 'ready' } : undefined;
}

function pidFileOf(data: string): string {
  return path.join(data, 'postmaster.pid');
}

/** A unique name for the server of a folder. For a copy of the folder, the name differs. */
async function nameOfServer(data: string): Promise<string> {
  const { dev, ino } = await stat(data, { bigint: true });
  return `wts-${dev.toString(36)}-${ino.toString(36)}`;
}

const named = (name: string): string => `cluster_name=${name}`;

async function freePort(preferred = 0): Promise<number> {
  const server = createServer();
  try {
    server.listen(preferred, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  } catch (error) {
    if (preferred === 0) throw error;
    return await freePort();
  } finally {
    server.close();
  }
}
