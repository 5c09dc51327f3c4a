import { type EntityManager } from 'typeorm';
import { readConfig } from '../config.js';
import { createLogger } from '../logger.js';
import { openDatabase } from '../open-database.js';

/** Does a command's work on the configured database, and leaves it as it was found: running or not. */
export async function withDatabase<T>(work: (db: EntityManager) => Promise<T>): Promise<T> {
  const config = { ...readConfig(), poolSize: 2 };
  for (const warning of config.warnings) process.stderr.write(`${warning}\n`);
  const database = await openDatabase(config, createLogger('silent'), { isServer: false });
  try {
    return await work(database.dataSource.manager);
  } finally {
    await database.close();
  }
}
