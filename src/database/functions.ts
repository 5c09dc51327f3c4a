import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type DataSource, type QueryRunner } from 'typeorm';
import { projectFolder } from '../lib/project-folder.js';

const folder = join(projectFolder(), 'dist/src/database/functions');

/** Makes these functions as their files say: for a migration whose triggers, defaults or indexes call them. */
export async function createFunctions(db: QueryRunner, ...names: readonly string[]): Promise<void> {
  for (const name of names) await db.query(await functionText(name));
}

/** The text that makes a function. */
export function functionText(name: string): Promise<string> {
  return readFile(join(folder, `${name}.sql`), 'utf8');
}

/**
 * Makes anew each function whose file has changed since it was made, all or none, and returns their names. They are made in
 * the order of their names: PostgreSQL reads a body that is a RETURN at once, so a function that it calls must come before it.
 * Those of these names stay as they are.
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
  /** Of the file that it was made of; null where a migration made it. */
  readonly hash: string | null;
}

// The comment of a function holds the hash of its file. A file with several signatures counts as changed if one does.
const readMade = `
  SELECT proname AS name, nullif(min(COALESCE(obj_description(oid, 'pg_proc'), '')), '') AS hash
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace GROUP BY proname`;
const writeComments = `
  SELECT format('COMMENT ON FUNCTION %s IS %L', oid::regprocedure, $2::text) AS comment
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = $1`;
