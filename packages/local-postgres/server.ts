import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, stat, open, truncate } from 'node:fs/promises';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Cluster, type Folder, serverFlags } from './cluster.js';
import { until, commandLine, placeOf } from './process.js';

/**
 * The server of the cluster. Starts it if none runs, on this port unless it is 0; it may still be recovering or
 * stopping. Undefined means: ask again.
 */
export async function findOrStart(cluster: Cluster, port: number): Promise<Postmaster | undefined> {
  const { data } = cluster.folder;
  const file = await readPostmasterFile(data);
  const isFixed = port !== 0;
  if (!file) return startPostmaster(cluster, { port, isFixed });
  if (await isServing(file.pid, data)) return file.port ? file : undefined;
  if (await isBeingWritten(file, data)) return undefined;
  await discardStale(data, file);
  // Keeps the port of the killed server, by which others will look for the new one.
  return startPostmaster(cluster, { port: port || file.port || 0, isFixed });
}

/** Stops the server of a data folder if one runs. `SIGINT` loses no data; `SIGQUIT` is for data that is thrown away. */
export async function stopPostmaster(data: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  const pid = await serverOf(data);
  if (!pid) return;
  kill(pid, signal);
  const stopped = await until(async () => (await serverOf(data)) !== pid, 60_000);
  if (!stopped)
    throw new Error(`The PostgreSQL of ${data} (process ${pid}) has not stopped within a minute.`);
}

async function serverOf(data: string): Promise<number | undefined> {
  const file = await readPostmasterFile(data);
  return file && (await isServing(file.pid, data)) ? file.pid : undefined;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The server has just ended by itself.
    if (Reflect.get(Object(error), 'code') !== 'ESRCH') throw error;
  }
}

/** The contents of `postmaster.pid`; absent numbers are NaN. */
export interface PostmasterFile {
  pid: number;
  port: number;
  ready: boolean;
  text: string;
}

/** Reads the file of a data folder, if it has one. */
async function readPostmasterFile(data: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(fileOf(data), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parsePostmasterFile(text);
}

/** Its lines: pid, folder, start, port, socket, address, shared memory, status. */
export function parsePostmasterFile(text: string): PostmasterFile {
  const [pid, , , port, , , , status] = text.split('\n');
  return { pid: number(pid), port: number(port), ready: status?.trim() === 'ready', text };
}

/** A name for the server of a folder, different for every folder, even for copies. */
async function nameOfServer(data: string): Promise<string> {
  const { dev, ino } = await stat(data, { bigint: true });
  return `wts-${dev.toString(36)}-${ino.toString(36)}`;
}

/** Whether the process is the server of that folder, rather than a later process with the same id. */
async function isServing(pid: number, data: string): Promise<boolean> {
  return pid > 0 && (await commandLine(pid)).includes(` cluster_name=${await nameOfServer(data)} `);
}

/** Whether the file was just created and is not filled yet. */
async function isBeingWritten({ pid }: PostmasterFile, data: string): Promise<boolean> {
  if (!Number.isNaN(pid)) return false;
  const made = await stat(fileOf(data)).catch(() => undefined);
  return made !== undefined && Date.now() - made.mtimeMs < 2_000;
}

/** Removes the file of a killed server. PostgreSQL itself would trust it if its pid is in use again. */
export async function discardStale(data: string, { text }: PostmasterFile): Promise<void> {
  const aside = `${fileOf(data)}.${randomBytes(4).toString('hex')}`;
  await rename(fileOf(data), aside).catch(() => undefined);
  const taken = await readFile(aside, 'utf8').catch(() => text);
  // Another process was faster and has started a server meanwhile: this is its file.
  if (taken !== text) await link(aside, fileOf(data)).catch(() => undefined);
  await rm(aside, { force: true });
}

function fileOf(data: string): string {
  return path.join(data, 'postmaster.pid');
}

function number(line: string | undefined): number {
  return /^\d+$/.test(line ?? '') ? Number(line) : NaN;
}

/** The running server of a cluster. */
interface Postmaster {
  pid: number;
  port: number;
}

/** Recovery after a crash may take this long. */
const START_TIMEOUT_MS = 120_000;
const LOG_SIZE = 1_000_000;
/** Another start was faster, processes of a killed server are still ending, or the port was just taken. */
const PASSING =
  /"postmaster\.pid" (already exists|is empty)|is still in use|could not create any TCP\/IP sockets/;

/** The wanted port of a server, 0 for any; unless it is fixed, another port may be used. */
export interface WantedPort {
  port: number;
  isFixed: boolean;
}

/** Starts the server and waits until it is ready; undefined if a temporary obstacle prevented it. */
async function startPostmaster(cluster: Cluster, wanted: WantedPort): Promise<Postmaster | undefined> {
  const { data, log } = cluster.folder;
  const port = await freePort(wanted);
  if (port === undefined) return undefined;
  const before = await shorten(log);
  const { pid, end } = await launch(cluster, port);
  if (pid !== undefined && (await becomesReady(pid, end, data))) return { pid, port };
  const said = (await readFile(log, 'utf8')).slice(before);
  // It ends normally if somebody has used and stopped it before this check saw it ready.
  if (end() === 'exit code 0' || PASSING.test(said)) return undefined;
  throw new Error(`${complaint(cluster.folder, end())}\n${said.split('\n').slice(-15).join('\n').trim()}`);
}

/** How the server ended, if it has. */
interface Launched {
  pid: number | undefined;
  end: () => string | undefined;
}

async function launch({ folder, bin, account, ephemeral }: Cluster, port: number): Promise<Launched> {
  const place = placeOf(folder.data, account);
  const flags = serverFlags(place.data, port, await nameOfServer(folder.data), ephemeral);
  const log = await open(folder.log, 'a', 0o600);
  let end: string | undefined;
  // Detached, so that a terminal's Ctrl-C does not reach it, and it can outlive this process for its other users.
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
  return (
    (await until(async () => end() !== undefined || (await isReady()), START_TIMEOUT_MS)) &&
    end() === undefined
  );
}

function complaint({ data, log }: Folder, end = 'not ready in time'): string {
  return `PostgreSQL did not start on ${data} (${end}). Fix the problem that its log shows, or move the folder away to start with an empty one, or set DATABASE_URL to a PostgreSQL of yours. The end of ${log}:`;
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
