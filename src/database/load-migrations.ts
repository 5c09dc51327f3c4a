import { readdir } from 'node:fs/promises';
import { type MigrationInterface } from 'typeorm';

type Migration = new () => MigrationInterface;

/** The classes of every file in migrations/, ours and the admins' own. */
export async function loadMigrations(): Promise<Migration[]> {
  const folder = new URL('../../migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => /^\d{13}-.*(?<!\.d)\.(js|ts)$/.test(name)).sort();
  const modules = files.map(
    async (file) => (await import(new URL(file, folder).href)) as Record<string, Migration>,
  );
  return (await Promise.all(modules)).flatMap((module) => Object.values(module));
}
