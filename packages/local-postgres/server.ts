import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { type Cluster, placeOf } from './cluster.js';
import { commandLine, run } from './process.js';

/** Another start was faster, processes of a killed server are still ending, or the port was just taken. */
export class PassingObstacle extends Error {}

/** The port of the cluster's server, by its pid file; starts it if none runs, on this port if one is given. */
export async function startServer(cluster: Cluster, wanted?: number): Promise<number> {
  const found = await readPidFile(cluster.folder.data);
  if (found?.isServing) return found.port;
  // PostgreSQL itself would trust the file of a killed server if its pid is in use again.
  if (found) await rm(pidFileOf(cluster.folder.data), { force: true });
  // Keeps the port of the killed server, by which others look for the new one.
  const port = wanted ?? (await freePort(found?.port));
  await dropLongLog(path.join(cluster.folder.data, 'log'));
  const { data, options } = placeOf(cluster);
  const flags = `-p ${port} -c cluster_name=${await nameOfServer(cluster.folder.data)}`;
  const args = ['start', '--silent', '--wait', '--timeout=120', '-D', data, '-l', 'log', '-o', flags];
  await run(path.join(cluster.bin, 'pg_ctl'), args, options).catch(async (cause: unknown) => {
    throw await failureOf(cluster, cause);
  });
  return port;
}

async function dropLongLog(log: string): Promise<void> {
  const { size } = await stat(log).catch(() => ({ size: 0 }));
  if (size > MAX_LOG_BYTES) await rm(log);
}

const MAX_LOG_BYTES = 1_000_000;

/** Stops the server if one runs. `fast` loses no data; `immediate` is for data that is thrown away. */
export async function stopServer(cluster: Cluster, mode: 'fast' | 'immediate'): Promise<void> {
  if (!(await readPidFile(cluster.folder.data))?.isServing) return;
  const { data, options } = placeOf(cluster);
  const args = ['stop', '--silent', '--wait', '--timeout=60', `--mode=${mode}`, '-D', data];
  await run(path.join(cluster.bin, 'pg_ctl'), args, options);
}

interface PidFile {
  readonly pid: number;
  readonly port: number;
  /** Whether the process is the server of that folder, rather than a later process with the same id. */
  readonly isServing: boolean;
}

/** Reads `postmaster.pid`: pid, folder, start, port, …; undefined if it is missing, or not whole yet. */
export async function readPidFile(data: string): Promise<PidFile | undefined> {
  const text = await readFile(pidFileOf(data), 'utf8').catch(() => '');
  const [pid, , , port] = text.split('\n').map(Number);
  if (!pid || !port) return undefined;
  const isServing = (await commandLine(pid)).includes(` cluster_name=${await nameOfServer(data)} `);
  return { pid, port, isServing };
}

function pidFileOf(data: string): string {
  return path.join(data, 'postmaster.pid');
}

/** A name for the server of a folder, different for every folder, even for copies. */
async function nameOfServer(data: string): Promise<string> {
  const { dev, ino } = await stat(data, { bigint: true });
  return `wts-${dev.toString(36)}-${ino.toString(36)}`;
}

async function failureOf({ folder: { data } }: Cluster, cause: unknown): Promise<Error> {
  const log = path.join(data, 'log');
  const end = (await readFile(log, 'utf8').catch(() => '')).split('\n').slice(-15).join('\n').trim();
  const text = `PostgreSQL did not start on ${data}. Fix the problem that its log shows, or move the folder away to start with an empty one, or set DATABASE_URL to a PostgreSQL of yours. The end of ${log}:\n${end}`;
  const isPassing =
    /"postmaster\.pid" (already exists|is empty)|is still in use|could not create any TCP\/IP sockets/.test(
      end,
    );
  return isPassing ? new PassingObstacle(text, { cause }) : new Error(text, { cause });
}

/** This port if it is free, or else any free one. */
async function freePort(port = 0): Promise<number> {
  const server = createServer().unref();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  } catch (error) {
    if (port === 0) throw error;
    return await freePort();
  } finally {
    server.close();
  }
}
