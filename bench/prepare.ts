import { loadavg } from 'node:os';
import type pg from 'pg';
import { readConfig } from '../src/config.js';
import { type Case, makeCases } from './cases.js';
import { definition } from './definition.js';
import { fillCases } from './fill.js';
import { type AtEnd, say } from './lifetime.js';
import { openBench } from './open-bench.js';
import { type Options } from './options.js';
import { type Outline, readOutline } from './outline.js';
import { startTarget, type Target } from './target.js';

export interface Ground {
  readonly db: pg.Client;
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
  await fillCases(db, options.tasks);
  // Changes by the run itself are not recorded.
  await db.query(`SELECT set_config('wts.origin', 'none', false)`);
  const outline = await readOutline(dataSource, 'cases');
  const { poolSize } = readConfig({});
  const taskUrl = `${publicUrl}/workflows/cases/tasks/`;
  const known = { poolSize, taskUrl, ...outline };
  return {
    db,
    load,
    cases: makeCases(ask, options.tasks),
    targets: await startTargets(url, known, atEnd),
  };
}

const publicUrl = 'https://tasks.example.org';

async function startTargets(url: string, outline: Outline, atEnd: AtEnd): Promise<Target[]> {
  const env = { DATABASE_URL: url, PUBLIC_URL: publicUrl };
  const [program, known] = ['bench/baselines/floor.js', JSON.stringify(outline)];
  return [
    await startTarget({ name: 'service', program: 'src/main.js', env }, atEnd),
    await startTarget({ name: 'floor', program, args: [known], env }, atEnd),
    await startTarget({ name: 'floor that records', program, args: [known, 'records'], env }, atEnd),
  ];
}
