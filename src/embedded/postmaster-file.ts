import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { commandLine } from './process-table.js';

/** What `postmaster.pid` says of the server of a data folder; numbers are NaN when it does not say. */
export interface PostmasterFile {
  pid: number;
  port: number;
  ready: boolean;
  text: string;
}

/** Reads the file of a data folder, if it has one. */
export async function readPostmasterFile(data: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(fileOf(data), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parsePostmasterFile(text);
}

/** Its lines: pid, folder, start, port, socket, address, shared memory, status. */
export function parsePostmasterFile(text: string): PostmasterFile {
  const [pid, , , port, , , , status] = text.split('\n');
  return { pid: number(pid), port: number(port), ready: status?.trim() === 'ready', text };
}

/** A name for the server of a folder that no other folder shares, not even a copy of it. */
export async function nameOfServer(data: string): Promise<string> {
  const { dev, ino } = await stat(data, { bigint: true });
  return `wts-${dev.toString(36)}-${ino.toString(36)}`;
}

/** Whether the process is the server of that folder, not a later one that was given the same id. */
export async function isServing(pid: number, data: string): Promise<boolean> {
  return pid > 0 && (await commandLine(pid)).includes(` cluster_name=${await nameOfServer(data)} `);
}

/** Whether the file has just been made and not yet been filled. */
export async function isBeingWritten({ pid }: PostmasterFile, data: string): Promise<boolean> {
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
