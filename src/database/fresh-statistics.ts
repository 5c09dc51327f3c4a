import { type DataSource } from 'typeorm';

/**
 * Has PostgreSQL look at tables that have grown and that it has never looked at. Without statistics all indexes seem
 * alike to it, and it may take one that fits badly; left to itself it takes a minute to look.
 */
export async function analyzeNewTables(dataSource: DataSource): Promise<void> {
  const tables = await dataSource.query<{ name: string }[]>(neverSeen);
  for (const { name } of tables) await dataSource.query(`ANALYZE ${name}`);
}

// Names as PostgreSQL quotes them itself.
const neverSeen = `
  SELECT s.relid::regclass::text AS name FROM pg_stat_user_tables s
  WHERE s.schemaname = current_schema() AND s.n_mod_since_analyze > 500
    AND s.last_analyze IS NULL AND s.last_autoanalyze IS NULL`;
