import { spawn } from 'node:child_process';
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
const PASSING =
  /"postmaster\.pid" (already exists|is empty)|is still in use|could not create any TCP\/IP sockets/;

/** The port that a server should have, 0 for any; another one will do unless those who know it would not find that. */
export interface WantedPort {
  port: number;
  isFixed: boolean;
}

/** Starts the server and waits until it is ready; undefined when something was in the way that passes. */
export async function startPostmaster(cluster: Cluster, wanted: WantedPort): Promise<Postmaster | undefined> {
  const { data, log } = cluster.folder;
  const port = await freePort(wanted);
  if (port === undefined) return undefined;
  const before = await shorten(log);
  const { pid, end } = await launch(cluster, port);
  if (pid !== undefined && (await becomesReady(pid, end, data))) return { pid, port };
  const said = (await readFile(log, 'utf8')).slice(before);
  // It ends well when somebody has used and stopped it before we saw it ready.
  if (end() === 'exit code 0' || PASSING.test(said)) return undefined;
  throw new Error(`${complaint(cluster.folder, end())}\n${said.split('\n').slice(-15).join('\n').trim()}`);
}

/** How the server ended, once it has. */
interface Launched {
  pid: number | undefined;
  end: () => string | undefined;
}

async function launch({ folder, bin, account, ephemeral }: Cluster, port: number): Promise<Launched> {
  const place = placeOf(folder.data, account);
  const flags = serverFlags(place.data, port, await nameOfServer(folder.data), ephemeral);
  const log = await open(folder.log, 'a', 0o600);
  let end: string | undefined;
  // Detached: the Ctrl-C of a terminal is for us, and the server may outlive us for others who use it.
  const child = spawn(path.join(bin, 'postgres'), flags, {
    ...place.options,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
    .once('error', ({ message }) => (end = message))
    .once('exit', (code, signal) => (end = signal ?? `exit code ${code ?? 0}`));
  child.unref();
  await log.close();
  return { pid: child.pid, end: () => end };
}

async function becomesReady(pid: number, end: Launched['end'], data: string): Promise<boolean> {
  const isReady = async (): Promise<boolean> => {
    const file = await readPostmasterFile(data);
    return file?.pid === pid && file.ready;
  };
  return (await until(async () => end() !== undefined || (await isReady()), PATIENCE)) && end() === undefined;
}

function complaint({ data, log }: Folder, end = 'not ready in time'): string {
  return `PostgreSQL did not start on ${data} (${end}). Mend what its log says, or move the folder away to begin anew, or set DATABASE_URL to a PostgreSQL of yours. The end of ${log}:`;
}

async function shorten(log: string): Promise<number> {
  const { size } = (await stat(log).catch(() => undefined)) ?? { size: 0 };
  if (size < LOG_SIZE) return size;
  await truncate(log);
  return 0;
}

async function freePort({ port, isFixed }: WantedPort): Promise<number | undefined> {
  const server = createServer().unref();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  } catch (error) {
    if (!port) throw error;
    return isFixed ? undefined : await freePort({ port: 0, isFixed });
  } finally {
    server.close();
  }
}
