import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, stat, truncate } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { type Cluster } from './cluster.js';
import { type Folder } from './data-folder.js';
import { nameOfServer, readPostmasterFile } from './postmaster-file.js';
import { placeOf } from './program.js';
import { serverFlags } from './settings.js';
import { until } from './until.js';

/** The running server of a cluster. */
export interface Postmaster {
  pid: number;
  port: number;
}

/** Recovery after a crash may take this long. */
const PATIENCE = 120_000;
const LOG_SIZE = 1_000_000;
/** Another start was quicker, processes of a killed server are still ending, or the port has just been taken. */
const PASSING = /"postmaster\.pid" already exists|is still in use|could not create any TCP\/IP sockets/;

/** Starts the server and waits until it is ready; undefined when something was in the way that passes. */
export async function startPostmaster(cluster: Cluster, favourite: number): Promise<Postmaster | undefined> {
  const { data, log } = cluster.folder;
  const port = await freePort(favourite);
  const before = await shorten(log);
  const child = await launch(cluster, port);
  const outcome = await readiness(child, data);
  child.unref();
  if (outcome === 'ready' && child.pid !== undefined) return { pid: child.pid, port };
  const said = (await readFile(log, 'utf8')).slice(before);
  if (PASSING.test(said)) return undefined;
  throw new Error(`${complaint(cluster.folder, outcome)}\n${said.split('\n').slice(-15).join('\n').trim()}`);
}

async function launch({ folder, bin, account, ephemeral }: Cluster, port: number): Promise<ChildProcess> {
  const place = placeOf(folder.data, account);
  const flags = serverFlags(place.data, port, await nameOfServer(folder.data), ephemeral);
  const log = await open(folder.log, 'a', 0o600);
  // Detached: the Ctrl-C of a terminal is for us, and the server may outlive us for others who use it.
  const child = spawn(path.join(bin, 'postgres'), flags, {
    ...place.options,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  return child;
}

async function readiness(child: ChildProcess, data: string): Promise<string> {
  let outcome = '';
  child.once('error', ({ message }) => (outcome = message));
  child.once('exit', (code, signal) => (outcome = signal ?? `exit code ${code ?? 0}`));
  await until(async () => {
    const file = await readPostmasterFile(data);
    if (file?.pid === child.pid && file?.ready) outcome = 'ready';
    return outcome !== '';
  }, PATIENCE);
  return outcome || 'not ready in time';
}

function complaint({ data, log }: Folder, outcome: string): string {
  return `PostgreSQL did not start on ${data} (${outcome}). Mend what its log says, or move the folder away to begin anew, or set DATABASE_URL to a PostgreSQL of yours. The end of ${log}:`;
}

async function shorten(log: string): Promise<number> {
  const { size } = (await stat(log).catch(() => undefined)) ?? { size: 0 };
  if (size < LOG_SIZE) return size;
  await truncate(log);
  return 0;
}

async function freePort(favourite: number): Promise<number> {
  const server = createServer().unref();
  try {
    server.listen(favourite || 0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  } catch (error) {
    if (!favourite) throw error;
    return await freePort(0);
  } finally {
    server.close();
  }
}
