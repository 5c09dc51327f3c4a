import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type DataSource, type QueryRunner } from 'typeorm';
import { projectFolder } from '../version.js';

const folder = join(projectFolder(), 'dist/src/common/database/functions');

/** Creates the named functions from their files, for a migration whose triggers, defaults or indexes call them. */
export async function createFunctions(db: QueryRunner, ...names: readonly string[]): Promise<void> {
  for (const name of names) await db.query(await functionText(name));
}

export function functionText(name: string): Promise<string> {
  return readFile(join(folder, `${name}.sql`), 'utf8');
}

/**
 * Replaces each function whose file has changed since the function was created, all or none; returns their names. The
 * order is alphabetical. A function must come after those that it calls, because PostgreSQL resolves a RETURN body at
 * once. Functions in `kept` are not replaced.
 */
export async function replaceFunctions(
  dataSource: DataSource,
  kept: readonly string[] = [],
): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const made = await dataSource.query<Made[]>(readMade);
  const hashes = new Map(made.map(({ name, hash }) => [name, hash]));
  return dataSource.transaction(async (tx) => {
    const replaced: string[] = [];
    for (const file of files) {
      const name = basename(file, '.sql');
      const text = await functionText(name);
      const hash = createHash('sha256').update(text).digest('hex');
      if (hashes.get(name) === hash || kept.includes(name)) continue;
      await tx.query(text);
      for (const { comment } of await tx.query<{ comment: string }[]>(writeComments, [name, hash]))
        await tx.query(comment);
      replaced.push(name);
    }
    return replaced;
  });
}

interface Made {
  readonly name: string;
  /** The hash of the file from which the function was created; null if a migration created it. */
  readonly hash: string | null;
}

// A function's comment holds its file's hash. An overload without a hash counts as a change.
const readMade = `
  SELECT proname AS name, nullif(min(COALESCE(obj_description(oid, 'pg_proc'), '')), '') AS hash
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace GROUP BY proname`;
const writeComments = `
  SELECT format('COMMENT ON FUNCTION %s IS %L', oid::regprocedure, $2::text) AS comment
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = $1`;
