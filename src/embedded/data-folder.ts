import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../make-folder.js';

/** Where the things of one cluster stand. */
export interface Folder {
  dataDir: string;
  /** Everything below; it appears at once, when the cluster is complete. */
  root: string;
  data: string;
  password: string;
  log: string;
}

/** The layout below a data folder; `name` tells an unfinished cluster from the real one. */
export function layout(dataDir: string, name = 'postgresql'): Folder {
  const root = path.join(dataDir, name);
  const at = (file: string): string => path.join(root, file);
  return { dataDir, root, data: at('data'), password: at('password'), log: at('log') };
}

/** Makes the data folder (0700) unless it is there; refuses one that another user has filled. */
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
