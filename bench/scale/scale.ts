import { applyDefinition } from '../../src/definitions/apply-definition.js';
import { readDefinition } from '../../src/definitions/source/read-definition.js';
import { openConnection } from '../connection.js';
import { definition } from '../definition.js';
import { casesFilling, fillWorkflow, withoutIndexes } from '../fill.js';
import { withLifetime } from '../lifetime.js';
import { type Bench, openBench } from '../open-bench.js';
import { readOptions } from '../options.js';
import { say } from '../say.js';
import { startTarget } from '../target.js';
import { kinds } from './kinds.js';
import { type KindTimes, percentile, timeKind } from './pages.js';
import { writeScaleReport } from './report.js';

const REQUESTS = 100;

// npm run bench:scale: pages of lists among a million tasks.
await withLifetime(async (atEnd) => {
  const options = readOptions(1_000_000);
  const bench = await openBench(definition, atEnd);
  say(`Filling ${options.tasks} tasks`);
  await withoutIndexes(bench.db, () => fillWorkflow(bench.db, casesFilling(options.tasks)));
  const indexed = await fillIndexesOf(bench);
  const env = { DATABASE_URL: bench.url };
  const { port } = await startTarget({ name: 'service', program: 'src/main.js', env }, atEnd);
  const connection = await openConnection(port);
  const times: KindTimes[] = [];
  for (const kind of kinds.filter(({ name }) => isWanted(name, options.cases))) {
    const one = await timeKind(connection, bench.ask, kind, REQUESTS);
    const [p50, p95] = [50, 95].map((at) => percentile(one, at).milliseconds.toFixed(1));
    say(`${kind.name}: p50 ${p50 ?? ''} ms, p95 ${p95 ?? ''} ms`);
    times.push(one);
  }
  connection.close();
  await writeScaleReport(bench, { indexed, times, requests: REQUESTS }, options);
});

function isWanted(name: string, words: readonly string[]): boolean {
  return words.length === 0 || words.some((word) => name.includes(word));
}

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
