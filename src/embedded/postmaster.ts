import { type Cluster } from './cluster.js';
import { until } from './until.js';
import { discardStale, isServing, readPostmasterFile } from './postmaster-file.js';
import { startPostmaster } from './postmaster-start.js';

/** The running server of a cluster. */
export interface Postmaster {
  pid: number;
  port: number;
}

/** The server of the cluster, started when none runs; it may still be recovering or already shutting down. Undefined: ask again. */
export async function findOrStart(cluster: Cluster, favourite: number): Promise<Postmaster | undefined> {
  const { data } = cluster.folder;
  const file = await readPostmasterFile(data);
  if (!file) return startPostmaster(cluster, favourite);
  if (await isServing(file.pid, data)) return file.port ? file : undefined;
  await discardStale(data, file);
  // The port of a server that was killed: those who still know it as the address find the next one there.
  return startPostmaster(cluster, favourite || file.port);
}

/** Stops the server of a data folder, if one runs; `SIGINT` loses nothing, `SIGQUIT` is for what nobody needs. */
export async function stopPostmaster(data: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  const file = await readPostmasterFile(data);
  if (!file || !(await isServing(file.pid, data))) return;
  process.kill(file.pid, signal);
  const stopped = await until(async () => !(await readPostmasterFile(data)) || !(await isServing(file.pid, data)), 60_000);
  if (!stopped) throw new Error(`The PostgreSQL of ${data} (process ${file.pid}) takes more than a minute to stop.`);
}
