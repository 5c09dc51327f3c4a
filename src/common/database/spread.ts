import type pg from 'pg';
import { type DataSource } from 'typeorm';
import { delegate, delegated, isDelegating, readDelegated } from '../../../packages/citus/delegation.js';
import { forgetShards, nameShards } from '../../../packages/citus/distribution.js';
import { type CitusClient, type ScopedStatement } from '../../../packages/citus/statement.js';

/** Runs a statement on a connection to a database that may be spread over several machines. */
export async function ask<Row>(client: pg.ClientBase, query: ScopedStatement): Promise<Row[]> {
  if (!isSpread(client)) return run<Row>(client, query);
  const rows: Row[] = [];
  for (const each of await delegated(client, query))
    rows.push(...readDelegated(query, each, await run<Row>(client, each)));
  return rows;
}

async function run<Row>(client: CitusClient<Row>, { name, text, values }: ScopedStatement): Promise<Row[]> {
  return (await client.query({ name, text, values })).rows;
}

/** Whether the database of this connection is spread over several machines. */
export function isSpread(client: object): boolean {
  return isDelegating(client);
}

/** Prepares a new connection to a spread database, so that each statement goes to the machine that has its rows. */
export async function beginSpread(client: pg.Client): Promise<void> {
  await delegate(client);
}

/** Changes tables of a spread database; afterwards reads the names of the new shards. */
export async function changeSpreadTables<T>(dataSource: DataSource, change: () => Promise<T>): Promise<T> {
  await forgetShards(dataSource);
  const result = await change();
  await nameShards(dataSource);
  return result;
}
