import { join } from 'node:path';
import { ask, clusterFolder } from './recoverable-postgres.js';

/** A private PostgreSQL with a standby server that streams from it. */
export interface ReplicatedPostgres {
  readonly url: string;
  /** The address of the standby server, even while it is stopped. */
  readonly standbyUrl: string;
  /** The column `said` of each server's answer. */
  askPrimary(text: string): Promise<unknown>;
  askStandby(text: string): Promise<unknown>;
  /** Changes a setting of the running standby server. */
  setOfStandby(name: string, value: string): Promise<void>;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const { folder, run, start, make, drop } = await clusterFolder('wts-replica-');
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await make(data);
  const primary = await start(data);
  // `-R` makes it a standby of the server that it was copied from.
  await run('pg_basebackup', '-d', primary.url, '-D', copy, '-c', 'fast', '-R');
  // Replay does not wait for queries.
  const settings = ['-c', 'max_standby_streaming_delay=0'];
  const first = await start(copy, { isStandby: true, settings });
  let standby: typeof first | undefined = first;
  return {
    url: primary.url,
    standbyUrl: first.url,
    askPrimary: (text) => ask(primary.url, text),
    askStandby: (text) => askAgain(first.url, text),
    async setOfStandby(name, value) {
      await ask(first.url, `ALTER SYSTEM SET ${name} = '${value.replaceAll("'", "''")}'`);
      await ask(first.url, 'SELECT pg_reload_conf() AS said');
    },
    async stopStandby() {
      await standby?.stop();
      standby = undefined;
    },
    async startStandby() {
      standby = await start(copy, { isStandby: true, port: first.port, settings });
    },
    async stop() {
      await standby?.stop();
      await primary.stop();
      await drop();
    },
  };
}

/** Repeats a question that was cancelled because it blocked the replay. */
async function askAgain(url: string, text: string): Promise<unknown> {
  return ask(url, text).catch((error: unknown) => {
    if (Reflect.get(Object(error), 'code') !== '40001') throw error;
    return askAgain(url, text);
  });
}
