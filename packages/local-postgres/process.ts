import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** The account of a PostgreSQL program; `undefined` for that of this process. */
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
  // If a program ends before it has read all input, its exit reports the reason.
  child.stdin.on('error', () => undefined).end(input);
  const [end, out, complaints] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (end !== '0') throw new Error(`${file} failed (${end}): ${(complaints || out).trim()}`);
  return out;
}

/** Only root needs another account: the data folder's owner, or for a new folder an unprivileged one. */
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

/** Whether a process runs; on Linux, whether it runs with this argument, if one is given. */
export async function isAlive(pid: number, argument?: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    if (argument !== undefined) return (await read('cmdline')).split('\0').includes(argument);
    // In a container, a killed process may stay in the table, because nobody asks for its end.
    return /.*\) [^ZX] /s.test(await read('stat'));
  }
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another account may not be signalled.
    return Reflect.get(Object(error), 'code') === 'EPERM';
  }
}
