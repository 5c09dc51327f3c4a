import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { openConnection } from '../connection.js';
import { definition } from '../definition.js';
import { fillCases } from '../fill.js';
import { withLifetime, say } from '../lifetime.js';
import { type Bench, openBench } from '../open-bench.js';
import { isWanted, readOptions } from '../options.js';
import { startTarget } from '../target.js';
import { kinds } from './kinds.js';
import { percentile } from '../rounds.js';
import { type KindTimes, timeKind } from './pages.js';
import { writeScaleReport } from './report.js';

const REQUESTS = 100;

// npm run bench:scale: pages of lists among a million tasks.
await withLifetime(async (atEnd) => {
  const options = readOptions(1_000_000);
  const bench = await openBench(definition, atEnd);
  say(`Filling ${options.tasks} tasks`);
  await fillCases(bench.db, options.tasks);
  const indexed = await fillIndexesOf(bench);
  const env = { DATABASE_URL: bench.url };
  const { port } = await startTarget({ name: 'service', program: 'src/main.js', env }, atEnd);
  const connection = await openConnection(port);
  const times: KindTimes[] = [];
  for (const kind of kinds.filter(({ name }) => isWanted(name, options))) {
    const one = await timeKind(connection, bench.ask, kind, REQUESTS);
    say(`${kind.name}: p95 ${percentile(one.times, 0.95).toFixed(1)} ms`);
    times.push(one);
  }
  connection.close();
  await writeScaleReport(bench, { indexed, times, requests: REQUESTS }, options);
});

/** Fills the indexes of fields and words for existing tasks, as an apply does; returns the seconds. */
async function fillIndexesOf({ db, dataSource }: Bench): Promise<number> {
  const indexes = definition
    .replace(/type: (currency|date|singleSelect)\b/g, '$&, index: true')
    .replace('name: Cases', '$&\n    search: true');
  const begun = performance.now();
  await applyDefinition(dataSource, readDefinition(indexes, 'bench.yaml'));
  const seconds = (performance.now() - begun) / 1000;
  say(`Indexes filled in ${seconds.toFixed(1)} s`);
  await db.query('VACUUM (ANALYZE) task_sort_keys, task_words');
  return seconds;
}
