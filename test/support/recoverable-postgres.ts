import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.js';
import { until } from './until.js';

/** The folder of PostgreSQL with all its programs; undefined if there is none. */
const postgresBin = [
  ...(existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => `/usr/lib/postgresql/${version}/bin`),
  '/usr/local/bin',
  '/opt/homebrew/bin',
].find((bin) => ['initdb', 'postgres', 'pg_basebackup'].every((program) => existsSync(join(bin, program))));

/** Tests that are skipped without these programs. */
export function describeWithPostgres(name: string, tests: () => void): void {
  if (postgresBin !== undefined) describe(name, tests);
  else describe.skip(`${name} (left out: there are no programs of PostgreSQL; install them)`, tests);
}

export type RecoverablePostgres = Awaited<ReturnType<typeof startRecoverablePostgres>>;

/** A PostgreSQL that archives its WAL as in docs/guide/production.md, and can be recovered. */
export async function startRecoverablePostgres() {
  const folder = await mkdtemp(join(tmpdir(), 'wts-recovery-'));
  const [data, archive, base] = ['data', 'archive', 'base'].map((name) => join(folder, name)) as [string, string, string]; // prettier-ignore
  await mkdir(archive);
  // PostgreSQL refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (account.uid !== undefined)
    for (const path of [folder, archive]) await chown(path, account.uid, account.gid);
  const bin = (program: string): string => join(postgresBin ?? '', program);
  const run = (program: string, ...args: string[]) => promisify(execFile)(bin(program), args, { ...account, cwd: folder }); // prettier-ignore

  async function start(cluster: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const port = await freePort();
    const url = `postgres://wts@127.0.0.1:${port}/postgres`;
    const args = ['-D', cluster, '-p', String(port), '-c', `unix_socket_directories=${folder}`];
    const server = spawn(bin('postgres'), args, { ...account, cwd: folder, stdio: 'ignore' });
    const ended = once(server, 'exit');
    // During recovery, a server can be read before everything is applied.
    await until(() => ask(url, 'SELECT NOT pg_is_in_recovery() AS said').then((said) => said === true, () => false)); // prettier-ignore
    return {
      url,
      async stop() {
        server.kill('SIGINT');
        await ended;
      },
    };
  }

  await run('initdb', '-D', data, '-U', 'wts', '-A', 'trust', '-E', 'UTF8', '--locale=C');
  await appendFile(
    join(data, 'postgresql.conf'),
    `archive_mode = on\narchive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'\n`,
  );
  let running = await start(data);
  return {
    url: running.url,
    /** Copies the cluster while it is running. */
    async backUp() {
      await run('pg_basebackup', '-d', running.url, '-D', base, '-c', 'fast');
    },
    /** The time of the server. */
    now: async () => String(await ask(running.url, 'SELECT clock_timestamp()::text AS said')),
    /** Stops it, and starts the copy recovered to that time; returns its address. */
    async recover(time: string) {
      // Stopping archives the remaining WAL; a lost server would lack only the last minutes (archive_timeout).
      await running.stop();
      await appendFile(
        join(base, 'postgresql.conf'),
        `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_time = '${time}'\nrecovery_target_action = promote\n`,
      );
      await writeFile(join(base, 'recovery.signal'), '');
      running = await start(base);
      return running.url;
    },
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** The column `said` of a server's answer. */
export async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<{ said: unknown }>(text)).rows[0]?.said;
  } finally {
    await client.end();
  }
}
