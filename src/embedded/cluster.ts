import { randomBytes } from 'node:crypto';
import { chown, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Account } from './account.js';
import { type Folder, layout } from './data-folder.js';
import { ownedName, removeFolder, sweepAbandoned } from './owned-folder.js';
import { placeOf, run } from './program.js';
import { initFlags, singleUserFlags } from './settings.js';

/** One cluster, and the programs and the account that work on it. */
export interface Cluster {
  folder: Folder;
  bin: string;
  account: Account;
  ephemeral: boolean;
}

/** Makes the cluster unless it is there, and says whether this call made it. Of two at once one wins. */
export async function ensureCluster(cluster: Cluster): Promise<boolean> {
  const { folder } = cluster;
  const unfinished = `${path.basename(folder.root)}.new`;
  await sweepAbandoned(folder.dataDir, unfinished);
  if (await exists(folder.data)) return false;
  const draft = layout(folder.dataDir, await ownedName(unfinished));
  try {
    await create({ ...cluster, folder: draft });
    await rename(draft.root, folder.root);
    return true;
  } catch (error) {
    await removeFolder(draft.root);
    if (await exists(folder.data)) return false;
    throw error;
  }
}

async function create({ folder, bin, account, ephemeral }: Cluster): Promise<void> {
  const { root, data, password } = folder;
  const secret = randomBytes(24).toString('base64url');
  await mkdir(root, { mode: 0o700 });
  await mkdir(data, { mode: 0o700 });
  if (account) await chown(data, account.uid, account.gid);
  await writeFile(password, secret, { mode: 0o600, flush: true });
  const place = placeOf(data, account);
  await run(path.join(bin, 'initdb'), initFlags(place.data, ephemeral), place.options);
  await writeFile(path.join(data, 'pg_hba.conf'), 'host all wts 127.0.0.1/32 scram-sha-256\n', {
    flush: true,
  });
  await run(
    path.join(bin, 'postgres'),
    singleUserFlags(place.data, ephemeral),
    place.options,
    `CREATE ROLE wts LOGIN CREATEDB PASSWORD '${secret}'\nCREATE DATABASE wts OWNER wts\n`,
  );
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
