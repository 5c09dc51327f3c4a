import { randomBytes } from 'node:crypto';
import { access, appendFile, chown, constants, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownedName, removeFolder, sweepAbandoned } from './owned-folder.js';
import { type Account, type ProgramOptions, run } from './process.js';

export interface Cluster {
  readonly folder: Folder;
  readonly bin: string;
  readonly account: Account;
  readonly ephemeral: boolean;
}

export interface Folder {
  readonly dataDir: string;
  /** The parent folder of `data` and `password`. Has another name until the cluster is complete. */
  readonly root: string;
  readonly data: string;
  readonly password: string;
}

/** The paths in a data folder. An unfinished cluster has another `name`. */
export function layout(dataDir: string, name = 'postgresql'): Folder {
  const root = path.join(dataDir, name);
  return { dataDir, root, data: path.join(root, 'data'), password: path.join(root, 'password') };
}

/**
 * Returns the working folder of a program, and the path by which the program finds the data folder. If the
 * program runs under another account, that account may have no access to the full path. Therefore the program
 * enters the folder before it switches to that account, and finds the folder as `/proc/self/cwd`.
 */
export function placeOf({ folder, account }: Cluster): {
  readonly data: string;
  readonly options: ProgramOptions;
} {
  return { data: account ? '/proc/self/cwd' : folder.data, options: { account, cwd: folder.data } };
}

/** Creates the data folder (0700) unless it exists. Refuses a folder with the cluster of another user. */
export async function openDataDir(dataDir: string): Promise<Folder> {
  const folder = layout(path.resolve(dataDir));
  const refuse = (reason: string, cause?: unknown): Error =>
    new Error(
      `The data folder ${folder.dataDir} cannot be used by this user (${reason}): run as the user who made it, or name another folder with WTS_DATA_DIR.`,
      { cause },
    );
  const found = await mkdir(folder.dataDir, { recursive: true, mode: 0o700 })
    .then(() => access(folder.dataDir, constants.R_OK | constants.W_OK | constants.X_OK))
    .then(() => stat(folder.root).catch(unlessMissing))
    .catch((error: unknown) => {
      throw refuse(codeOf(error), error);
    });
  if (found && found.uid !== process.geteuid?.())
    throw refuse(`it belongs to the user with the id ${found.uid}`);
  return folder;
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

function codeOf(error: unknown): string {
  return String(Reflect.get(Object(error), 'code'));
}

/** Creates the cluster unless it exists. Returns whether this call created the cluster. */
export async function ensureCluster(cluster: Cluster): Promise<boolean> {
  const { folder } = cluster;
  const unfinished = `${path.basename(folder.root)}.new`;
  await sweepAbandoned(folder.dataDir, unfinished);
  if (await exists(folder.data)) return false;
  const draft = layout(folder.dataDir, ownedName(unfinished));
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

export async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

async function create(cluster: Cluster): Promise<void> {
  const { bin, account, ephemeral } = cluster;
  const { root, data, password } = cluster.folder;
  const secret = randomBytes(24).toString('base64url');
  await mkdir(root, { mode: 0o700 });
  await mkdir(data, { mode: 0o700 });
  if (account) await chown(data, account.uid, account.gid);
  await writeFile(password, secret, { mode: 0o600, flush: true });
  const place = placeOf(cluster);
  await run(path.join(bin, 'initdb'), ['-D', place.data, ...initFlags(ephemeral)], place.options);
  await writeFile(path.join(data, 'pg_hba.conf'), 'host all wts 127.0.0.1/32 scram-sha-256\n');
  const settings = [...serverSettings, ...(ephemeral ? forgetfulSettings : [])];
  await appendFile(path.join(data, 'postgresql.conf'), `${settings.join('\n')}\n`, { flush: true });
  await run(path.join(bin, 'postgres'), ['--single', '-D', place.data, ...singleUserFlags, 'postgres'], {
    ...place.options,
    input: `CREATE ROLE wts LOGIN CREATEDB PASSWORD '${secret}'\nCREATE DATABASE wts OWNER wts\n`,
  });
}

/** The flags of `initdb`: UTF-8, sort order by code point, and no access for anybody. */
function initFlags(ephemeral: boolean): string[] {
  return [
    ...['--username=postgres', '--auth=reject', '--no-instructions', '--encoding=UTF8'],
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...(ephemeral ? ['--no-sync', '--no-data-checksums'] : []),
  ];
}

/** Turns off slow hashing, because nobody can guess a password of 24 random bytes. */
const singleUserFlags = ['-c', 'exit_on_error=on', '-c', 'scram_iterations=1'];

/** The server listens only on 127.0.0.1. It logs no errors of statements, because errors may show data. */
const serverSettings = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'max_connections = 300',
  "timezone = 'UTC'",
  "log_timezone = 'UTC'",
  'log_min_messages = log',
  'log_min_error_statement = panic',
  'log_checkpoints = off',
];

const forgetfulSettings = [
  'fsync = off',
  'synchronous_commit = off',
  'full_page_writes = off',
  'wal_level = minimal',
  'max_wal_senders = 0',
];
