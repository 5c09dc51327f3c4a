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

/** A PostgreSQL that archives its WAL as in docs/guide/production.md, and can be recovered. */
export interface RecoverablePostgres {
  readonly url: string;
  /** Copies the cluster while it is running. */
  backUp(): Promise<void>;
  /** The time of the server. */
  now(): Promise<string>;
  /** Stops it, and starts the copy recovered to that time; returns its address. */
  recover(time: string): Promise<string>;
  stop(): Promise<void>;
}

/** A folder of clusters, and PostgreSQL's programs to make and start them with. */
export async function clusterFolder(prefix: string) {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  // PostgreSQL refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const own = async (path: string): Promise<void> => {
    if (account.uid !== undefined) await chown(path, account.uid, account.gid);
  };
  await own(folder);
  const bin = (program: string): string => join(postgresBin ?? '', program);
  const run = (program: string, ...args: string[]) => promisify(execFile)(bin(program), args, { ...account, cwd: folder }); // prettier-ignore

  /** Starts a cluster; a standby server counts as started when it can be read. */
  async function start(
    cluster: string,
    { isStandby = false, port = 0, settings = [] as readonly string[] } = {},
  ) {
    const held = port === 0 ? await holdPort('127.0.0.1') : { port, release: () => Promise.resolve() };
    await held.release();
    const url = `postgres://wts@127.0.0.1:${held.port}/postgres`;
    const args = [
      '-D',
      cluster,
      '-p',
      String(held.port),
      '-c',
      `unix_socket_directories=${folder}`,
      ...settings,
    ];
    const server = spawn(bin('postgres'), args, { ...account, cwd: folder, stdio: 'ignore' });
    const ended = once(server, 'exit');
    // During recovery, a server can be read before everything is applied.
    await until(() => ask(url, 'SELECT pg_is_in_recovery() AS said').then((said) => said === isStandby, () => false)); // prettier-ignore
    return {
      url,
      port: held.port,
      async stop() {
        server.kill('SIGINT');
        await ended;
      },
    };
  }

  const make = (data: string) => run('initdb', '-D', data, '-U', 'wts', '-A', 'trust', '-E', 'UTF8', '--locale=C'); // prettier-ignore
  return { folder, own, run, start, make, drop: () => rm(folder, { recursive: true }) };
}

export async function startRecoverablePostgres(): Promise<RecoverablePostgres> {
  const { folder, own, run, start, make, drop } = await clusterFolder('wts-recovery-');
  const [data, archive, base] = ['data', 'archive', 'base'].map((name) => join(folder, name)) as [string, string, string]; // prettier-ignore
  await mkdir(archive);
  await own(archive);
  await make(data);
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
      await drop();
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
