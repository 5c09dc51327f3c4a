import { type Cluster } from './cluster.js';
import { discardStale, isBeingWritten, isServing, readPostmasterFile } from './postmaster-file.js';
import { type Postmaster, startPostmaster } from './postmaster-start.js';
import { until } from './until.js';

/**
 * The server of the cluster, started if none runs, on this port unless that is 0; it may still be recovering, or
 * stopping. Undefined: ask again.
 */
export async function findOrStart(cluster: Cluster, port: number): Promise<Postmaster | undefined> {
  const { data } = cluster.folder;
  const file = await readPostmasterFile(data);
  const isFixed = port !== 0;
  if (!file) return startPostmaster(cluster, { port, isFixed });
  if (await isServing(file.pid, data)) return file.port ? file : undefined;
  if (await isBeingWritten(file, data)) return undefined;
  await discardStale(data, file);
  // Those who still know the killed server by its port find the next one there.
  return startPostmaster(cluster, { port: port || file.port || 0, isFixed });
}

/** Stops the server of a data folder if one runs; `SIGINT` loses nothing, `SIGQUIT` is for what nobody needs. */
export async function stopPostmaster(data: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  const pid = await serverOf(data);
  if (!pid) return;
  kill(pid, signal);
  const stopped = await until(async () => (await serverOf(data)) !== pid, 60_000);
  if (!stopped)
    throw new Error(`The PostgreSQL of ${data} (process ${pid}) has not stopped within a minute.`);
}

async function serverOf(data: string): Promise<number | undefined> {
  const file = await readPostmasterFile(data);
  return file && (await isServing(file.pid, data)) ? file.pid : undefined;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended by itself in this moment.
    if (Reflect.get(Object(error), 'code') !== 'ESRCH') throw error;
  }
}
