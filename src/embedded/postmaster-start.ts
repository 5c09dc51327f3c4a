import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, truncate } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { type Cluster } from './cluster.js';
import { type Folder } from './data-folder.js';
import { type Postmaster } from './postmaster.js';
import { nameOfServer, readPostmasterFile } from './postmaster-file.js';
import { placeOf } from './program.js';
import { serverFlags } from './settings.js';
import { until } from './until.js';

/** Recovery after a crash may take this long. */
const PATIENCE = 120_000;
const LOG_SIZE = 1_000_000;
/** Another start was quicker, processes of a killed server are still ending, or the port has just been taken. */
const PASSING = /"postmaster\.pid" (already exists|is empty)|is still in use|could not create any TCP\/IP sockets/;

/** Starts the server and waits until it is ready; undefined when something that passes is in the way. */
export async function startPostmaster(cluster: Cluster, favourite: number): Promise<Postmaster | undefined> {
  const { folder, bin, account, ephemeral } = cluster;
  const place = placeOf(folder.data, account);
  const port = await freePort(favourite);
  const log = await openLog(folder.log);
  // Detached: the Ctrl-C of a terminal is for us, and the server may outlive us for others who use it.
  const child = spawn(
    path.join(bin, 'postgres'),
    serverFlags(place.data, port, await nameOfServer(folder.data), ephemeral),
    { ...place.options, detached: true, stdio: ['ignore', log.file.fd, log.file.fd] },
  );
  let ended: string | undefined;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, signal) => (ended = `it ended with ${signal ?? `code ${code}`}`));
  const isReady = async (): Promise<boolean> => {
    const file = await readPostmasterFile(folder.data);
    return file?.pid === child.pid && file.ready;
  };
  await until(async () => ended !== undefined || (await isReady()), PATIENCE);
  ...
}
