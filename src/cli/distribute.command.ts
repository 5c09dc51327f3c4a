import { Command, Option } from 'commander';
import { distribute, type Distribution, readDistribution } from '../database/distribution.js';
import { print, printTable, say } from './terminal.js';
import { withDatabase } from './with-database.js';

/** `wts distribute` */
export function distributeCommand(): Command {
  return new Command('distribute')
    .description('bring the tables of a database on Citus to its nodes, each workspace to one; to try it out')
    .addOption(new Option('--check', 'say what stands where, and change nothing').conflicts('trial'))
    .option('--trial', 'do it, though the service can only read from there yet')
    .action(run);
}

async function run({ check, trial }: { readonly check?: true; readonly trial?: true }): Promise<void> {
  await withDatabase(async (db) => {
    if (check) {
      show(await readDistribution(db));
      return;
    }
    await readDistribution(db);
    if (!trial) throw new Error(onlyReads);
    const moved = await distribute(db.dataSource);
    for (const name of moved) print(`distributed: ${name}`);
    if (moved.length === 0) print('no changes: every table stands where it belongs');
  });
}

const onlyReads =
  'The service can only read on Citus yet: there, each write of a task is answered by 500 (docs/guide/scaling.md). Nothing was changed. Say --trial to distribute a database that is there to try it.';

function show({ version, nodes, tables, unset }: Distribution): void {
  say(`Citus ${version}: ${nodes.map(({ name, shards }) => `${name} with ${shards} shards`).join(', ')}`);
  printTable(
    ['TABLE', 'STANDS', 'BELONGS', 'SHARDS'],
    tables.map(({ name, place, wanted, shards }) => [
      name,
      place,
      wanted,
      shards === null ? '' : String(shards),
    ]),
  );
  for (const setting of unset) say(`to be set: ${setting}`);
  const away = tables.filter(({ place, wanted }) => place !== wanted).length;
  say(away === 0 ? 'Every table stands where it belongs.' : `Not where they belong: ${away} tables.`);
}
