import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { killLaunched, launch, type Launched } from './launch.js';
import { until } from './until.js';

const repository = path.resolve(import.meta.dirname, '../..');

/** A process that acquires a database, reports it, and releases it when its input ends. */
const SCRIPT = `
  const { acquireEmbeddedPostgres } = await import('${repository}/dist/packages/local-postgres/local-postgres.js');
  const [dataDir, ephemeral] = JSON.parse(process.argv[1]);
  try {
    const postgres = await acquireEmbeddedPostgres({ dataDir, ephemeral, log: console.error });
    console.log(JSON.stringify({ url: postgres.url, fresh: postgres.fresh }));
    process.stdin.resume().once('end', () => postgres.release().then(() => postgres.release()));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
    process.stdin.destroy();
  }`;

export interface Options {
  ephemeral?: boolean;
}

export interface User {
  url: string;
  fresh: boolean;
  /** Its log so far. */
  said: () => string;
  /** Ends it in order. */
  leave(): Promise<void>;
  /** Ends it by kill -9. */
  kill(): Promise<void>;
}

/** Processes that use embedded databases, all below one temporary folder. */
export async function embeddedUsers() {
  const folder = await mkdtemp(path.join(tmpdir(), 'wts-embedded-'));
  await chmod(folder, 0o755);
  /** Starts a process without waiting. */
  const start = (dir: string, { ephemeral = false }: Options = {}): Launched =>
    launch([process.execPath, '--input-type=module', '-e', SCRIPT, JSON.stringify([dir, ephemeral])], {
      cwd: '/',
      env: { TMPDIR: folder },
    });

  /** Starts a process and waits until it has its database. */
  async function use(dir: string, options: Options = {}): Promise<User> {
    const { child, out, err, exit } = start(dir, options);
    await Promise.race([exit, until(() => out().includes('\n'))]);
    if (!out()) throw new Error(err());
    return {
      ...(JSON.parse(out()) as { url: string; fresh: boolean }),
      said: err,
      leave: async () => {
        child.stdin?.end();
        expect([await exit, err()]).toEqual([0, expect.not.stringContaining('Error')]);
      },
      kill: async () => {
        child.kill('SIGKILL');
        await exit;
      },
    };
  }

  /** Ends all processes and deletes the folder. */
  const end = async (): Promise<void> => {
    killLaunched();
    // Servers that were just killed, or stop by themselves, may still write.
    await rm(folder, { recursive: true, maxRetries: 10 });
  };
  return { folder, launch: start, use, end };
}

/** Queries the database on its own connection. */
export async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The process id of the server for the cluster below a data folder. */
export async function serverPid(dir: string): Promise<number> {
  const text = await readFile(path.join(dir, 'postgresql/data/postmaster.pid'), 'utf8');
  return Number(text.split('\n')[0]);
}

/** Whether a server is running below a data folder, or was killed there. */
export async function isRunning(dir: string): Promise<boolean> {
  return serverPid(dir).then(
    () => true,
    () => false,
  );
}
