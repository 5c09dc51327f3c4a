import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type DataSource, type QueryRunner } from 'typeorm';
import { projectFolder } from '../version.js';

const folder = join(projectFolder(), 'dist/src/common/database/functions');

/** Creates the functions of these files, for a migration whose triggers, defaults or indexes call them. */
export async function createFunctions(db: QueryRunner, ...files: readonly string[]): Promise<void> {
  for (const file of files) await db.query(await functionsText(file));
}

export function functionsText(file: string): Promise<string> {
  return readFile(join(folder, `${file}.sql`), 'utf8');
}

/**
 * Replaces the functions of each changed file, except the file `kept`, in one transaction. Returns the names
 * of the files whose functions it replaced. Files run in alphabetical order. A function with a RETURN body
 * must come after the functions that it calls, because PostgreSQL resolves such a body at once.
 */
export async function replaceFunctions(dataSource: DataSource, kept?: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const made = await dataSource.query<{ name: string; hash: string | null }[]>(readMade);
  const hashes = new Map(made.map(({ name, hash }) => [name, hash]));
  return dataSource.transaction(async (tx) => {
    const replaced: string[] = [];
    for (const file of files.map((name) => basename(name, '.sql'))) {
      const text = await functionsText(file);
      const hash = createHash('sha256').update(text).digest('hex');
      const names = functionsIn(text);
      if (file === kept || names.every((name) => hashes.get(name) === hash)) continue;
      await tx.query(text);
      for (const { comment } of await tx.query<{ comment: string }[]>(writeComments, [names, hash]))
        await tx.query(comment);
      replaced.push(file);
    }
    return replaced;
  });
}

export function functionsIn(text: string): string[] {
  return Array.from(text.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)/gm), ([, name = '']) => name);
}

// The comment on a function in PostgreSQL holds the hash of the file that created the function. A function
// that a migration created has no comment. If one overload has none, the function counts as changed.
const readMade = `
  SELECT proname AS name, nullif(min(COALESCE(obj_description(oid, 'pg_proc'), '')), '') AS hash
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace GROUP BY proname`;
const writeComments = `
  SELECT format('COMMENT ON FUNCTION %s IS %L', oid::regprocedure, $2::text) AS comment
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = ANY ($1)`;
