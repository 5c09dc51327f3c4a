import { execFile, spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

/** The account of a PostgreSQL program; `undefined` is that of this process. */
export type Account = { uid: number; gid: number } | undefined;

/** How a program of PostgreSQL is run. */
export interface ProgramOptions {
  account: Account;
  cwd: string;
  input?: string;
}

/** Runs a program to its end; returns its output, or throws it if the program fails. */
export async function run(
  file: string,
  args: readonly string[],
  { account, cwd, input = '' }: ProgramOptions,
): Promise<string> {
  // A fixed environment: the shell's variables must not affect the cluster, and secrets of this process must not stay
  // in it.
  const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
  const child = spawn(file, args, { ...account, cwd, env, stdio: 'pipe' });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(signal ?? String(code));
    });
  });
  // A program that ends before it has read all input reports the reason by its exit.
  child.stdin.on('error', () => undefined).end(input);
  const [end, out, complaints] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (end !== '0') throw new Error(`${file} failed (${end}): ${(complaints || out).trim()}`);
  return out;
}

/**
 * The account for a data folder. Only root needs another one: the folder's owner, or for a new folder an unprivileged
 * account of the machine.
 */
export async function accountFor(data: string): Promise<Account> {
  if (process.geteuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return unprivileged(await readFile('/etc/passwd', 'utf8'));
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
