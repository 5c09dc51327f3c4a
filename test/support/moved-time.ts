import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataSource } from 'typeorm';
import { until } from './until.js';

/** A time of the service that a test can move. */
export interface MovedTime {
  /** The settings for a service, and for all others on its database. */
  readonly environment: { readonly WTS_TEST_MODE: '1'; readonly WTS_CLOCK: string };
  /** Moves the service ahead by so many milliseconds, and waits until the database has followed. */
  move(dataSource: DataSource, aheadMs: number): Promise<void>;
  remove(): Promise<void>;
}

/** Starts at a time, or so many milliseconds ahead. */
export async function movedTime(begin: Date | number = 0): Promise<MovedTime> {
  const folder = await mkdtemp(join(tmpdir(), 'wts-test-time-'));
  const file = join(folder, 'ahead');
  const write = async (aheadMs: number): Promise<void> => {
    await writeFile(`${file}.new`, `PT${(aheadMs / 1000).toFixed(3)}S\n`);
    await rename(`${file}.new`, file);
  };
  await write(typeof begin === 'number' ? begin : begin.getTime() - Date.now());
  return {
    environment: { WTS_TEST_MODE: '1', WTS_CLOCK: file },
    async move(dataSource, aheadMs) {
      await write(aheadMs);
      const mark = `ahead by ${Math.round(aheadMs)} ms`;
      const read = `SELECT obj_description('service_now(timestamptz)'::regprocedure, 'pg_proc') AS mark`;
      await until(async () => (await dataSource.query<{ mark: string }[]>(read))[0]?.mark === mark);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
