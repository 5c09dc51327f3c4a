import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, stat, open, truncate } from 'node:fs/promises';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Cluster, type Folder, serverFlags } from './cluster.js';
import { until, commandLine, placeOf } from './process.js';

/**
 * The server of the cluster, started if none runs, on this port unless that is 0; it may still be recovering, or
 * stopping. Undefined: ask again.
 */
export async function findOrStart(cluster: Cluster, port: number): Promise<Postmaster | undefined> {
  const { data } = cluster.folder;
  const file = await readPostmasterFile(data);
  const isFixed = port !== 0;
  if (!file) return startPostmaster(cluster, { port, isFixed });
  if (await isServing(file.pid, data)) return file.port ? file : undefined;
  if (await isBeingWritten(file, data)) return undefined;
  await discardStale(data, file);
  // Those who still know the killed server by its port find the next one there.
  return startPostmaster(cluster, { port: port || file.port || 0, isFixed });
}

/** Stops the server of a data folder if one runs; `SIGINT` loses nothing, `SIGQUIT` is for what nobody needs. */
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
    // It has ended by itself in this moment.
    if (Reflect.get(Object(error), 'code') !== 'ESRCH') throw error;
  }
}

/** What `postmaster.pid` says of the server of a data folder; numbers are NaN when it does not say. */
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

/** A name for the server of a folder that no other folder shares, not even a copy of it. */
async function nameOfServer(data: string): Promise<string> {
  const { dev, ino } = await stat(data, { bigint: true });
  return `wts-${dev.toString(36)}-${ino.toString(36)}`;
}

/** Whether the process is the server of that folder, not a later one that was given the same id. */
async function isServing(pid: number, data: string): Promise<boolean> {
  return pid > 0 && (await commandLine(pid)).includes(` cluster_name=${await nameOfServer(data)} `);
}

/** Whether the file has just been made and not yet been filled. */
async function isBeingWritten({ pid }: PostmasterFile, data: string): Promise<boolean> {
  if (!Number.isNaN(pid)) return false;
  const made = await stat(fileOf(data)).catch(() => undefined);
  return made !== undefined && Date.now() - made.mtimeMs < 2_000;
}

/** Takes away the file that a killed server left behind. PostgreSQL itself would trust it when its pid is in use again. */
export async function discardStale(data: string, { text }: PostmasterFile): Promise<void> {
  const aside = `${fileOf(data)}.${randomBytes(4).toString('hex')}`;
  await rename(fileOf(data), aside).catch(() => undefined);
  const taken = await readFile(aside, 'utf8').catch(() => text);
  // Somebody else was quicker and has started a server in between: this is its file.
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
/** Another start was quicker, processes of a killed server are still ending, or the port has just been taken. */
const PASSING =
  /"postmaster\.pid" (already exists|is empty)|is still in use|could not create any TCP\/IP sockets/;

/** The port that a server should have, 0 for any; another one will do unless those who know it would not find that. */
export interface WantedPort {
  port: number;
  isFixed: boolean;
}

/** Starts the server and waits until it is ready; undefined when something was in the way that passes. */
async function startPostmaster(cluster: Cluster, wanted: WantedPort): Promise<Postmaster | undefined> {
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
  return (
    (await until(async () => end() !== undefined || (await isReady()), START_TIMEOUT_MS)) &&
    end() === undefined
  );
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
