import { Command } from 'commander';
import { entities } from '../features.js';
import { migrate } from '../common/database/migrate.js';
import { databaseUrl } from '../common/database/pool.js';
import { print } from './terminal.js';
import { tellUnknownMigrations, withUnmigratedDatabase } from './with-database.js';

/** `wts migrate` */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('run the migrations that a start of the service would run')
    .action(async () => {
      const names = await withUnmigratedDatabase(async ({ dataSource }) => {
        const run = await migrate(databaseUrl(dataSource), entities);
        await tellUnknownMigrations(dataSource);
        return run;
      });
      for (const name of names) print(`migrated: ${name}`);
      if (names.length === 0) print('no changes: every migration has run');
    });
}
