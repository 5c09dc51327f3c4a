import { spawn, type SpawnOptions, execFile } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';

/** Where a program of PostgreSQL stands when it works on a data folder, and how it is told the folder. */
export interface Place {
  options: SpawnOptions & { cwd: string };
  data: string;
}

/**
 * The place of a program on a data folder. Another account may lack the right to walk there from `/`, but we enter
 * the folder before we change the account, and `/proc/self/cwd` leads a process to where it stands without a walk.
 */
export function placeOf(data: string, account: Account): Place {
  // A few variables of our own: what the shell has set must not change a cluster, nor our secrets outlive us in it.
  const options = { cwd: data, env: { LC_ALL: 'C', TZ: 'UTC' } };
  return account ? { options: { ...options, ...account }, data: '/proc/self/cwd' } : { options, data };
}

/** Runs a program to its end, feeding it `input`; throws what it wrote to stderr when it fails. */
export async function run(file: string, args: string[], options: SpawnOptions, input = ''): Promise<void> {
  const child = spawn(file, args, { ...options, stdio: 'pipe' });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve(signal ?? String(code));
    });
  });
  // A program that ends before it has read everything says why by its exit.
  child.stdin.on('error', () => undefined).end(input);
  child.stdout.resume();
  const [end, complaints] = await Promise.all([ended, text(child.stderr)]);
  if (end !== '0') throw new Error(`${file} failed (${end}): ${complaints.trim()}`);
}

/** The account whose rights a program of PostgreSQL runs with; `undefined` is our own. */
export type Account = { uid: number; gid: number } | undefined;

/** The account for a data folder. Only root needs another one: the folder's owner, or, for a new folder, an unprivileged account of the machine. */
export async function accountFor(data: string): Promise<Account> {
  if (process.geteuid?.() !== 0) return undefined;
  if (process.platform !== 'linux') {
    throw new Error(
      'PostgreSQL refuses to run as root and only Linux offers a way around: run as an ordinary user, or set DATABASE_URL to a PostgreSQL of yours.',
    );
  }
  return (await owner(data)) ?? unprivileged(await readFile('/etc/passwd', 'utf8'));
}

/** `postgres` if the machine has it, else `nobody`. */
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

/** The command line of a living process, its words separated by spaces; empty when there is none. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ps(pid, 'command=');
  return (await read(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ');
}

/** When a living process began, as digits that no later process with the same id shares; empty when there is none. */
export async function birthOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return String(Date.parse(`${await ps(pid, 'lstart=')} UTC`) || '');
  return parseBirth(await read(`/proc/${pid}/stat`));
}

/** The start time out of a line of /proc/<pid>/stat; empty for a zombie. */
export function parseBirth(stat: string): string {
  // The name in brackets may hold spaces and brackets of its own.
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

/** Asks again and again until the answer is yes; false when the time, in milliseconds, is over first. */
export async function until(ask: () => boolean | Promise<boolean>, time: number): Promise<boolean> {
  const deadline = Date.now() + time;
  while (!(await ask())) {
    if (Date.now() > deadline) return false;
    await pause(15);
  }
  return true;
}
