import { spawn, type SpawnOptions, execFile } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';

/** The working folder of a program of PostgreSQL, and the path by which it is given the data folder. */
export interface Place {
  options: SpawnOptions & { cwd: string };
  data: string;
}

/**
 * The place from which a program works on a data folder. Another account may lack access to the path from `/`. The
 * working folder is entered before the account changes, and `/proc/self/cwd` leads to it directly.
 */
export function placeOf(data: string, account: Account): Place {
  // A fixed environment: the shell's variables must not affect the cluster, and secrets of this process must not stay
  // in it.
  const options = { cwd: data, env: { LC_ALL: 'C', TZ: 'UTC' } };
  return account ? { options: { ...options, ...account }, data: '/proc/self/cwd' } : { options, data };
}

/** Runs a program to its end with `input`; throws its stderr if it fails. */
export async function run(file: string, args: string[], options: SpawnOptions, input = ''): Promise<void> {
  const child = spawn(file, args, { ...options, stdio: 'pipe' });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve(signal ?? String(code));
    });
  });
  // A program that ends before it has read all input reports the reason by its exit.
  child.stdin.on('error', () => undefined).end(input);
  child.stdout.resume();
  const [end, complaints] = await Promise.all([ended, text(child.stderr)]);
  if (end !== '0') throw new Error(`${file} failed (${end}): ${complaints.trim()}`);
}

/** The account of a PostgreSQL program; `undefined` is that of this process. */
export type Account = { uid: number; gid: number } | undefined;

/**
 * The account for a data folder. Only root needs another one: the folder's owner, or for a new folder an unprivileged
 * account of the machine.
 */
export async function accountFor(data: string): Promise<Account> {
  if (process.geteuid?.() !== 0) return undefined;
  if (process.platform !== 'linux') {
    throw new Error(
      'PostgreSQL refuses to run as root and only Linux offers a way around: run as an ordinary user, or set DATABASE_URL to a PostgreSQL of yours.',
    );
  }
  return (await owner(data)) ?? unprivileged(await readFile('/etc/passwd', 'utf8'));
}

/** `postgres` if the machine has it, otherwise `nobody`. */
export function unprivileged(passwd: string): NonNullable<Account> {
  const accounts = passwd.split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find(([name]) => name === wanted) ?? [];
    if (Number(uid) > 0 && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root and /etc/passwd has neither "postgres" nor "nobody": run as an ordinary user, or set DATABASE_URL to a PostgreSQL of yours.',
  );
}

async function owner(folder: string): Promise<Account> {
  const { uid, gid } = (await stat(folder).catch(() => undefined)) ?? {};
  return uid && gid !== undefined ? { uid, gid } : undefined;
}

/** The command line of a running process, its words separated by spaces; empty if there is none. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ps(pid, 'command=');
  return (await read(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ');
}

/** The start of a running process, as digits that no later process with the same id shares; empty if there is none. */
export async function birthOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return String(Date.parse(`${await ps(pid, 'lstart=')} UTC`) || '');
  return parseBirth(await read(`/proc/${pid}/stat`));
}

/** The start time in a line of /proc/<pid>/stat; empty for a zombie. */
export function parseBirth(stat: string): string {
  // The name in brackets may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return /^[ZXx]$/.test(fields[0] ?? '') ? '' : (fields[19] ?? '');
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

async function ps(pid: number, column: string): Promise<string> {
  const asked = promisify(execFile)('/bin/ps', ['-ww', '-o', column, '-p', String(pid)], {
    env: { LC_ALL: 'C', TZ: 'UTC' },
  });
  return asked.then(({ stdout }) => stdout.trim()).catch(() => '');
}

/** Repeats the question until the answer is yes; false if the time in milliseconds runs out. */
export async function until(ask: () => boolean | Promise<boolean>, time: number): Promise<boolean> {
  const deadline = Date.now() + time;
  while (!(await ask())) {
    if (Date.now() > deadline) return false;
    await pause(15);
  }
  return true;
}
