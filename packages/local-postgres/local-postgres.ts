import { readFile, mkdir } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client } from 'pg';
import { accountFor } from './process.js';
import { binariesFor } from './binaries.js';
import { type Cluster, ensureCluster, exists, openDataDir, layout } from './cluster.js';
import { join, leave, stopAbandoned } from './server.js';
import { ownedName, removeFolder, sweepAbandoned } from './owned-folder.js';

/** `dataDir` is ignored if `ephemeral` is true. */
export interface EmbeddedOptions {
  dataDir: string;
  ephemeral: boolean;
  log?: (line: string) => void;
}

/** A share in a running PostgreSQL. */
export interface EmbeddedPostgres {
  url: string;
  /** Whether this call created the cluster. */
  fresh: boolean;
  /** Releases the share. The last release stops the server. Repeated calls wait for the first call. */
  release(): Promise<void>;
}

/** Starts or joins the PostgreSQL of a data folder. Without `release`, the server outlives the process. */
export async function acquireEmbeddedPostgres({
  dataDir,
  ephemeral,
  log = () => undefined,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new Error(
      'The embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL of yours.',
    );
  }
  if (!ephemeral) return open(dataDir, false, log);
  const folder = await makeThrowAway();
  try {
    return await open(folder, true, log);
  } catch (error) {
    await stopLeft(folder);
    await removeFolder(folder);
    throw error;
  }
}

/** Whether a data folder contains a cluster. Creates no folder. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return exists(layout(path.resolve(dataDir)).data);
}

async function open(
  dataDir: string,
  ephemeral: boolean,
  log: (line: string) => void,
): Promise<EmbeddedPostgres> {
  const cluster = await clusterIn(dataDir, ephemeral);
  const { folder } = cluster;
  const fresh = await ensureCluster(cluster);
  const member = new Member(cluster, log, await join(cluster));
  const end = async (): Promise<void> => {
    await member.leave();
    if (ephemeral) await removeFolder(folder.dataDir);
  };
  let released: Promise<void> | undefined;
  return {
    url: `postgres://wts:${await readFile(folder.password, 'utf8')}@127.0.0.1:${member.port}/wts`,
    fresh,
    release: () => (released ??= end()),
  };
}

async function clusterIn(dataDir: string, ephemeral: boolean): Promise<Cluster> {
  const folder = await openDataDir(dataDir);
  const account = await accountFor(folder.data);
  return { folder, account, ephemeral, bin: await binariesFor(account) };
}

/** Creates a private temporary data folder (0700), and deletes the folders of killed processes. */
async function makeThrowAway(): Promise<string> {
  // Containers may share a temporary folder without seeing each other's processes.
  const prefix = `wts-postgresql-${hostname()}`;
  await sweepAbandoned(tmpdir(), prefix, stopLeft);
  const folder = path.join(tmpdir(), ownedName(prefix));
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Stops the server of a folder that no process uses, if the server runs. */
async function stopLeft(folder: string): Promise<void> {
  if (await hasCluster(folder)) await stopAbandoned(await clusterIn(folder, true));
}

/** A process that uses a running server. */
class Member {
  private hasLeft = false;

  constructor(
    private readonly cluster: Cluster,
    private readonly log: (line: string) => void,
    private seat: Client,
  ) {
    this.watch();
  }

  get port(): number {
    return this.seat.port;
  }

  async leave(): Promise<void> {
    this.hasLeft = true;
    await leave(this.cluster, this.seat);
  }

  /** Joins again if the server ends. `join` restarts the server on its port, so that pools reconnect. */
  private watch(): void {
    this.seat.once('end', () => void this.rejoin());
  }

  private async rejoin(): Promise<void> {
    for (let told = ''; !this.hasLeft;)
      try {
        this.seat = await join(this.cluster, this.port);
        this.watch();
        break;
      } catch (error) {
        // Tries again, because obstacles such as a full disk may pass.
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== told) this.log(`The embedded PostgreSQL is gone; trying again: ${reason}`);
        told = reason;
        await pause(500, undefined, { ref: false });
      }
    // `leave` may have been called during the restart.
    if (this.hasLeft) await this.leave();
  }
}
