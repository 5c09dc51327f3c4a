import { readFile, stat } from 'node:fs/promises';

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
