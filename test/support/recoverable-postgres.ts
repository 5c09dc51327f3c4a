import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { holdPort } from '../../src/ops/listen.js';
import { until } from './until.js';

/** Where a PostgreSQL with all its programs is; undefined where there is none. */
export const postgresBin = [
  ...(existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => `/usr/lib/postgresql/${version}/bin`),
  '/usr/local/bin',
  '/opt/homebrew/bin',
].find((bin) => ['initdb', 'postgres', 'pg_basebackup'].every((program) => existsSync(join(bin, program))));

/** A PostgreSQL that archives its WAL, as docs/guide/production.md says, and what recovers it. */
export interface RecoverablePostgres {
  readonly url: string;
  /** Copies the cluster while it runs. */
  backUp(): Promise<void>;
  /** The time of the server. */
  now(): Promise<string>;
  /** Stops it, and starts the copy instead, as all was at that time; returns its address. */
  recover(time: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startRecoverablePostgres(): Promise<RecoverablePostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'wts-recovery-'));
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const [data, archive, base] = ['data', 'archive', 'base'].map((name) => join(folder, name)) as [string, string, string]; // prettier-ignore
  await mkdir(archive);
  for (const path of [folder, archive])
    if (account.uid !== undefined) await chown(path, account.uid, account.gid);
  const bin = (program: string): string => join(postgresBin ?? '', program);
  const run = (program: string, ...args: string[]) => promisify(execFile)(bin(program), args, { ...account, cwd: folder }); // prettier-ignore

  async function start(cluster: string) {
    const held = await holdPort('127.0.0.1');
    await held.release();
    const url = `postgres://wts@127.0.0.1:${held.port}/postgres`;
    const args = ['-D', cluster, '-p', String(held.port), '-c', `unix_socket_directories=${folder}`];
    const server = spawn(bin('postgres'), args, { ...account, cwd: folder, stdio: 'ignore' });
    const ended = once(server, 'exit');
    // In recovery it may be read before all is applied.
    await until(() => ask(url, 'SELECT NOT pg_is_in_recovery() AS said').then((isUp) => isUp === true, () => false)); // prettier-ignore
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
    async backUp() {
      await run('pg_basebackup', '-d', running.url, '-D', base, '-c', 'fast');
    },
    now: async () => String(await ask(running.url, 'SELECT clock_timestamp()::text AS said')),
    async recover(time) {
      // Stopping archives the rest; a server that is gone has archived all but the last minutes (archive_timeout).
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

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<{ said: unknown }>(text)).rows[0]?.said;
  } finally {
    await client.end();
  }
}
