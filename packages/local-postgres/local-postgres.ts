import { readFile, mkdir } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { accountFor } from './process.js';
import { binariesFor } from './binaries.js';
import { type Cluster, ensureCluster, exists, openDataDir, layout } from './cluster.js';
import { Membership } from './membership.js';
import { stopServer } from './server.js';
import { ownedName, removeFolder, sweepAbandoned } from './owned-folder.js';

/** The wanted database; an ephemeral one ignores `dataDir`. */
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
  /** Claims the role of the one server process of the data folder; throws one sentence if another process has it. */
  claimServer(): Promise<void>;
  /** Gives the share back; the last one stops the server. Repeated calls wait for the same end. */
  release(): Promise<void>;
}

/** Starts the PostgreSQL of a data folder, or joins the running one. Release it; otherwise it outlives the process. */
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
    await deleteThrowAway(folder);
    throw error;
  }
}

/** Whether a data folder contains a cluster; creates nothing. */
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
  const password = (await readFile(folder.password, 'utf8')).trim();
  const membership = await Membership.join(cluster, password, log);
  const leave = async (): Promise<void> => {
    await membership.leave(() => stopServer(cluster, ephemeral ? 'immediate' : 'fast'));
    if (ephemeral) await deleteThrowAway(folder.dataDir);
  };
  let released: Promise<void> | undefined;
  return {
    url: `postgres://wts:${password}@127.0.0.1:${membership.port}/wts`,
    fresh,
    claimServer: async () => {
      if (await membership.claim()) return;
      throw new Error(
        `Another server is running on the data folder ${folder.dataDir}: stop it, or name another folder with WTS_DATA_DIR.`,
      );
    },
    release: () => (released ??= leave()),
  };
}

async function clusterIn(dataDir: string, ephemeral: boolean): Promise<Cluster> {
  const folder = await openDataDir(dataDir);
  const account = await accountFor(folder.data);
  return { folder, account, ephemeral, bin: await binariesFor(account) };
}

/** A new private data folder (0700) in the system's temporary folder; also deletes those of killed processes. */
async function makeThrowAway(): Promise<string> {
  // Containers may share a temporary folder without seeing each other's processes.
  const prefix = `wts-postgresql-${hostname()}`;
  await sweepAbandoned(tmpdir(), prefix, stop);
  const folder = path.join(tmpdir(), await ownedName(prefix));
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Stops the server of a throw-away folder and deletes the folder. */
async function deleteThrowAway(folder: string): Promise<void> {
  await stop(folder);
  await removeFolder(folder);
}

async function stop(folder: string): Promise<void> {
  if (await hasCluster(folder)) await stopServer(await clusterIn(folder, true), 'immediate');
}
