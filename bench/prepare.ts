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
import { fillPairs } from './pairs.js';
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
  /**
   * The service, the floor, and the floor that records each change; then NestJS with and without the service's
   * adapter.
   */
  readonly targets: readonly Target[];
  /** The service without its request log. */
  readonly quiet: Target;
}

/** Fills a database and starts the targets on it. */
export async function prepare(options: Options, atEnd: AtEnd): Promise<Ground> {
  const [load = NaN] = loadavg();
  const { url, db, dataSource, ask } = await openBench(definition, atEnd);
  say(`Filling ${options.tasks} tasks`);
  await withoutIndexes(db, () => fillWorkflow(db, casesFilling(options.tasks)));
  await fillPairs(db);
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
    ...(await startTargets(url, file, atEnd)),
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

async function startTargets(
  url: string,
  outline: string,
  atEnd: AtEnd,
): Promise<Pick<Ground, 'targets' | 'quiet'>> {
  const baseline = (program: string, ...args: string[]): Omit<Parameters<typeof startTarget>[0], 'name'> => ({
    program: `bench/baselines/${program}.js`,
    args: [outline, ...args],
  });
  const service = { program: 'src/main.js', env: { DATABASE_URL: url, PUBLIC_URL: publicUrl } };
  const start = (name: string, target: Omit<Parameters<typeof startTarget>[0], 'name'>): Promise<Target> =>
    startTarget({ name, ...target }, atEnd);
  return {
    targets: [
      await start('service', service),
      await start('floor', baseline('floor')),
      await start('floor that records', baseline('floor', 'records')),
      await start('bare NestJS', baseline('bare-nest', 'our-adapter')),
      await start('NestJS as it comes', baseline('bare-nest')),
    ],
    quiet: await start('service without its log', {
      ...service,
      env: { ...service.env, WTS_LOG_LEVEL: 'warn' },
    }),
  };
}
