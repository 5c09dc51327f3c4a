import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { readConfig } from '../src/config.js';
import { type Ask } from './ask.js';
import { type Case, makeCases } from './cases.js';
import { definition } from './definition.js';
import { casesFilling, fillWorkflow, withoutIndexes } from './fill.js';
import { type AtEnd } from './lifetime.js';
import { openBench } from './open-bench.js';
import { type Options } from './options.js';
import { readOutline } from './outline.js';
import { say } from './say.js';
import { startTarget, type Target } from './target.js';

/** Everything that a run needs. */
export interface Ground {
  readonly url: string;
  readonly db: pg.Client;
  readonly ask: Ask;
  /** The load of the machine in the minute before. */
  readonly load: number;
  readonly cases: readonly Case[];
  /** The service, the floor, and the floor that records each change. */
  readonly targets: readonly Target[];
}

/** Fills a database and starts the targets on it. */
export async function prepare(options: Options, atEnd: AtEnd): Promise<Ground> {
  const [load = NaN] = loadavg();
  const { url, db, dataSource, ask } = await openBench(definition, atEnd);
  say(`Filling ${options.tasks} tasks`);
  await withoutIndexes(db, () => fillWorkflow(db, casesFilling(options.tasks)));
  // Changes by the run itself are not recorded.
  await db.query(`SELECT set_config('wts.origin', 'none', false)`);
  const outline = await readOutline(dataSource, 'cases');
  const { poolSize } = readConfig({});
  const taskUrl = `${publicUrl}/workflows/cases/tasks/`;
  const file = await keepOutline({ databaseUrl: url, poolSize, taskUrl, ...outline }, atEnd);
  return {
    url,
    db,
    ask,
    load,
    cases: makeCases(ask, options.tasks),
    targets: await startTargets(url, file, atEnd),
  };
}

const publicUrl = 'https://tasks.example.org';

/** Writes the file from which the baselines read the outline. */
async function keepOutline(outline: object, atEnd: AtEnd): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wts-bench-'));
  atEnd(() => rm(folder, { recursive: true }));
  const file = join(folder, 'outline.json');
  // The file contains the database's password.
  await writeFile(file, JSON.stringify(outline), { mode: 0o600 });
  return file;
}

async function startTargets(url: string, outline: string, atEnd: AtEnd): Promise<Target[]> {
  const floor = { program: 'bench/baselines/floor.js' };
  return [
    await startTarget(
      { name: 'service', program: 'src/main.js', env: { DATABASE_URL: url, PUBLIC_URL: publicUrl } },
      atEnd,
    ),
    await startTarget({ name: 'floor', ...floor, args: [outline] }, atEnd),
    await startTarget({ name: 'floor that records', ...floor, args: [outline, 'records'] }, atEnd),
  ];
}
