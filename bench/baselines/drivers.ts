import pg from 'pg';
import postgres from 'postgres';
import { sessionSettings } from '../../src/database/data-source.js';
import { type Outline } from '../outline.js';
import { type Row } from './task-text.js';

/** A statement; one with a name is prepared once for each connection. */
export interface Query {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Asks the database and gives the rows. */
export type Driver = (query: Query) => Promise<readonly Row[]>;

/** What stands between a baseline and PostgreSQL, with as many connections as the service has, and its session settings. */
export const drivers: Readonly<Record<string, (outline: Outline) => Driver>> = {
  pg({ databaseUrl, poolSize }) {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize, options: settings });
    return async ({ name, text, values }) =>
      (await pool.query<Row>({ ...(name && { name }), text, values: [...values] })).rows;
  },

  'postgres.js'({ databaseUrl, poolSize }) {
    const connection = { options: settings };
    const transform = { undefined: null };
    const sql = postgres(databaseUrl, { max: poolSize, connection, types: { json }, transform });
    return ({ name, text, values }) =>
      sql.unsafe<Row[]>(text, values as postgres.ParameterOrJSON<never>[], { prepare: name !== undefined });
  },
};

const settings = Object.entries(sessionSettings(30_000))
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** The statements are given JSON as text, which postgres.js would write as JSON once more. */
const json = {
  to: 3802,
  from: [114, 3802],
  serialize: (text: string): string => text,
  parse: (text: string): unknown => JSON.parse(text),
};
