import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Command } from 'commander';
import { callerFolder } from '../config.js';
import { migrate, undoLastDefinition } from '../database/migrate.js';
import { rehearse } from '../database/rehearse.js';
import { databaseUrl } from '../database/pool.js';
import { applyWithin } from '../definitions/apply-definition.js';
import { type Change, renderChange } from '../definitions/merge/diff.js';
import { nextTimestamp, renderMigration } from '../definitions/seed/render-migration.js';
import { projectFolder } from '../lib/project-folder.js';
import { print } from './terminal.js';
import { fileArgument, readSource } from './definition.commands.js';
import { tellUnknownMigrations, withDatabase, withUnmigratedDatabase } from './with-database.js';

/** `wts migrate`, `wts migration` and `wts undo-migration` */
export function migrationCommands(): Command[] {
  return [
    new Command('migrate')
      .description('run the migrations that a start of the service would run')
      .action(runMigrations),
    new Command('migration')
      .description('write a migration to migrations/ that applies the file and can be undone')
      .argument('<file>', fileArgument)
      .action(writeMigration),
    new Command('undo-migration')
      .description('undo the last migration that applied a definition; then remove or change its file')
      .action(undoMigration),
  ];
}

async function runMigrations(): Promise<void> {
  const names = await withUnmigratedDatabase(async ({ dataSource }) => {
    const run = await migrate(databaseUrl(dataSource));
    await tellUnknownMigrations(dataSource);
    return run;
  });
  for (const name of names) print(`migrated: ${name}`);
  if (names.length === 0) print('no changes: every migration has run');
}

async function writeMigration(file: string): Promise<void> {
  const { source, text } = await readSource(file);
  const changes = await withDatabase((db) =>
    rehearse<Change[]>(
      (work) => db.transaction(work),
      (tx) => applyWithin(tx, source),
    ),
  );
  const folder = join(projectFolder(), 'migrations');
  const migration = renderMigration({
    timestamp: await nextTimestamp(folder, Date.now()),
    workspace: source.definition.workspace.id,
    changes,
    text,
  });
  const path = join(folder, migration.file);
  await writeFile(path, migration.code, { flag: 'wx' });
  for (const change of changes) print(renderChange(change));
  print(`written: ${relative(callerFolder(), path)}; the next start runs it`);
}

async function undoMigration(): Promise<void> {
  const name = await withDatabase((db) => undoLastDefinition(db.dataSource));
  print(`undone: ${name}; the next start runs it again unless its file is removed from migrations/`);
}
