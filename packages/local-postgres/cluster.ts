import { randomBytes } from 'node:crypto';
import { chown, mkdir, rename, stat, writeFile, access, constants } from 'node:fs/promises';
import path from 'node:path';
import { type Account, placeOf, run } from './process.js';
import { ownedName, removeFolder, sweepAbandoned } from './owned-folder.js';
import { makeFolder } from './make-folder.js';

/** A cluster, with the programs and the account that operate it. */
export interface Cluster {
  folder: Folder;
  bin: string;
  account: Account;
  ephemeral: boolean;
}

/** Creates the cluster unless it exists; returns whether this call created it. Of two concurrent calls, one wins. */
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

/** Whether there is such a file or folder. */
export async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** The paths of one cluster. */
export interface Folder {
  dataDir: string;
  /** The parent of all others; it appears at once, when the cluster is complete. */
  root: string;
  data: string;
  password: string;
  log: string;
}

/** The paths below a data folder; `name` tells an unfinished cluster from the real one. */
export function layout(dataDir: string, name = 'postgresql'): Folder {
  const root = path.join(dataDir, name);
  const at = (file: string): string => path.join(root, file);
  return { dataDir, root, data: at('data'), password: at('password'), log: at('log') };
}

/** Creates the data folder (0700) unless it exists; refuses one that another user has filled. */
export async function openDataDir(dataDir: string): Promise<Folder> {
  const folder = layout(path.resolve(dataDir));
  const found = await makeFolder(folder.dataDir)
    .then(() => access(folder.dataDir, constants.R_OK | constants.W_OK | constants.X_OK))
    .then(() => stat(folder.root).catch(unlessMissing))
    .catch((error: unknown) => {
      throw new Error(`${unusable(folder)} (${codeOf(error)}): ${ADVICE}`, { cause: error });
    });
  if (found && found.uid !== process.geteuid?.()) {
    throw new Error(`${unusable(folder)} (it belongs to the user with the id ${found.uid}): ${ADVICE}`);
  }
  return folder;
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

const ADVICE = 'run as the user who made it, or name another folder with WTS_DATA_DIR.';

function unusable({ dataDir }: Folder): string {
  return `The data folder ${dataDir} cannot be used by this user`;
}

function codeOf(error: unknown): string {
  return String(Reflect.get(Object(error), 'code'));
}

const FORGETFUL = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
];

/**
 * The flags by which `initdb` creates a cluster: UTF-8, sorted by code point in any locale, and closed to everybody.
 */
function initFlags(data: string, ephemeral: boolean): string[] {
  return [
    ...['-D', data, '--username=postgres', '--auth=reject', '--no-instructions', '--encoding=UTF8'],
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...(ephemeral ? ['--no-sync', '--no-data-checksums'] : []),
  ];
}

/** The flags by which `postgres` reads statements from its input, without a network. */
function singleUserFlags(data: string, ephemeral: boolean): string[] {
  const settings = [
    'exit_on_error=on',
    // A failed statement is not repeated on stderr: it may contain the password.
    'log_min_error_statement=panic',
    'log_checkpoints=off',
    // A password of 24 random bytes cannot be guessed, so slow hashing would only delay every connection.
    'scram_iterations=1',
  ];
  return ['--single', '-D', data, ...flags([...settings, ...(ephemeral ? FORGETFUL : [])]), 'postgres'];
}

/** The flags by which `postgres` serves: on one port of 127.0.0.1 only, with a name that its command line shows. */
export function serverFlags(data: string, port: number, name: string, ephemeral: boolean): string[] {
  return [
    ...['-D', data, '-p', String(port)],
    ...flags([
      ...[
        `cluster_name=${name}`,
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        'max_connections=300',
      ],
      ...['timezone=UTC', 'log_timezone=UTC'],
      // Clients get the errors of their statements; in a log, the details would contain customer data.
      ...['log_min_messages=log', 'log_min_error_statement=panic', 'log_checkpoints=off'],
      ...(ephemeral ? FORGETFUL : []),
    ]),
  ];
}

function flags(settings: string[]): string[] {
  return settings.flatMap((setting) => ['-c', setting]);
}
