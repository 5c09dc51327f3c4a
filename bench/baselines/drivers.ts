import pg from 'pg';
import { readConfig } from '../../src/config.js';
import { sessionSettings } from '../../src/common/database/data-source.js';
import { type Outline } from '../outline.js';
import { type Row } from './task-text.js';

/** A statement; one with a name is prepared once per connection. */
export interface Query {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type Driver = (query: Query) => Promise<readonly Row[]>;

/**
 * Opens `pg` with as many connections and the same session settings as the service. Changes are recorded as
 * events only if `records` is true.
 */
export function openDriver({ poolSize }: Outline, records: boolean): Driver {
  const settings = { ...sessionSettings(30_000), ...(!records && { 'wts.origin': 'none' }) };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const pool = new pg.Pool({
    connectionString: readConfig().databaseUrl,
    max: poolSize,
    options: options.join(' '),
  });
  return async ({ name, text, values }) =>
    (await pool.query<Row>({ ...(name && { name }), text, values: [...values] })).rows;
}
