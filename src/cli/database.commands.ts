import { Command } from 'commander';
import { entities } from '../features.js';
import { migrate } from '../common/database/migrate.js';
import { databaseUrl } from '../common/database/data-source.js';
import { print, printTable, tell } from './terminal.js';
import { tellUnknownMigrations, withUnmigratedDatabase, withDatabase } from './with-database.js';
import { distribute, type Distribution, readDistribution } from '../../packages/citus/distribution.js';

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

export function distributeCommand(): Command {
  return new Command('distribute')
    .description('distribute the tables of a Citus database to its nodes; each workspace is on one node')
    .option('--check', 'show where each table is, and change nothing')
    .action(run);
}

async function run({ check }: { readonly check?: true }): Promise<void> {
  await withDatabase(async (db) => {
    if (check) {
      show(await readDistribution(db));
      return;
    }
    const moved = await distribute(db.dataSource);
    for (const name of moved) print(`distributed: ${name}`);
    if (moved.length === 0) print('no changes: every table is in its place');
  });
}

function show({ version, nodes, tables, unset }: Distribution): void {
  tell(`Citus ${version}: ${nodes.map(({ name, shards }) => `${name} with ${shards} shards`).join(', ')}`);
  printTable(
    ['TABLE', 'PLACE', 'WANTED', 'SHARDS'],
    tables.map(({ name, place, wanted, shards }) => [
      name,
      place,
      wanted,
      shards === null ? '' : String(shards),
    ]),
  );
  for (const setting of unset) tell(`missing setting: ${setting}`);
  const away = tables.filter(({ place, wanted }) => place !== wanted).length;
  tell(away === 0 ? 'Every table is in its place.' : `Tables that are not in their place: ${away}.`);
}
