import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** The account of a PostgreSQL program. Undefined for the account of this process. */
export type Account = { uid: number; gid: number } | undefined;

export interface ProgramOptions {
  account: Account;
  cwd: string;
  input?: string;
}

/** Runs a program to its end. Returns the output, or throws an error with the output if the program fails. */
export async function run(
  file: string,
  args: readonly string[],
  { account, cwd, input = '' }: ProgramOptions,
): Promise<string> {
  // A fixed environment, because variables of the shell must not affect the cluster. They may also contain
  // secrets, which must not stay in the environment of the server.
  const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
  const child = spawn(file, args, { ...account, cwd, env, stdio: 'pipe' });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(signal ?? String(code));
    });
  });
  // Ignores errors of the input, because the exit of the program reports the reason.
  child.stdin.on('error', () => undefined).end(input);
  const [end, out, complaints] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (end !== '0') throw new Error(`${file} failed (${end}): ${(complaints || out).trim()}`);
  return out;
}

/** Returns another account for the server if this process is root, and otherwise undefined. */
export async function accountFor(data: string): Promise<Account> {
  if (process.geteuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return unprivileged(await readFile('/etc/passwd', 'utf8'));
}

/** The account `postgres` if the machine has it, otherwise `nobody`. */
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

/** Whether a process runs. On Linux, also checks that the process has this argument, if given. */
export async function isAlive(pid: number, argument?: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    if (argument !== undefined) return (await read('cmdline')).split('\0').includes(argument);
    // In a container, a killed process may remain as a zombie, because no parent reaps it.
    return /.*\) [^ZX] /s.test(await read('stat'));
  }
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists, but belongs to another account.
    return Reflect.get(Object(error), 'code') === 'EPERM';
  }
}
