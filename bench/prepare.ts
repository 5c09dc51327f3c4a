import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { readConfig } from '../src/config.js';
import { type Ask } from './ask.js';
import { type Case, listPaths, makeCases } from './cases.js';
import { definition } from './definition.js';
import { casesFilling, fillWorkflow, withoutIndexes } from './fill.js';
import { type AtEnd } from './lifetime.js';
import { type Bench, openBench } from './open-bench.js';
import { type Options } from './options.js';
import { type ListQuery, readOutline } from './outline.js';
import { recordLists } from './record-lists.js';
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
  const paths = listPaths(options.tasks);
  const outline = await readOutline(dataSource, 'cases');
  const lists = await listQueries({ url, ask }, [...paths.filtered, paths.page]);
  const { poolSize } = readConfig({});
  const taskUrl = `${publicUrl}/workflows/cases/tasks/`;
  const file = await keepOutline({ databaseUrl: url, poolSize, taskUrl, ...outline, lists }, atEnd);
  return {
    url,
    db,
    ask,
    load,
    cases: makeCases(ask, options.tasks, paths),
    targets: await startTargets(url, file, atEnd),
  };
}

const publicUrl = 'https://tasks.example.org';

/** The statement of the service for each of these lists, which is always a single one. */
async function listQueries(
  { url, ask }: Pick<Bench, 'url' | 'ask'>,
  paths: readonly string[],
): Promise<Record<string, ListQuery>> {
  const requests = paths.map((path) => ask('GET', path));
  const recorded = await recordLists(url, requests);
  const queries = recorded.map(({ queries: [query, ...others], shown }, index): [string, ListQuery] => {
    if (query && others.length === 0) return [paths[index] ?? '', { ...query, shown }];
    throw new Error(`${paths[index] ?? ''} takes ${others.length + 1} statements, not one`);
  });
  return Object.fromEntries(queries);
}

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
