import { applyDefinition } from '../../src/definitions/apply-definition.js';
import { readDefinition } from '../../src/definitions/source/read-definition.js';
import { openConnection } from '../connection.js';
import { type AtEnd, withLifetime } from '../lifetime.js';
import { type Bench, openBench } from '../open-bench.js';
import { say } from '../say.js';
import { startTarget, type Target } from '../target.js';
import { filterKinds, keptKinds, type Kind, searchKinds, sortKinds } from './kinds.js';
import { readScaleOptions, type ScaleOptions } from './options.js';
import { type KindTimes, percentile, timeKind } from './pages.js';
import { explainKinds } from './plans.js';
import { bySlowness, writeScaleReport } from './report.js';
import { streamList } from './stream.js';
import { fillWorkflows, scaleDefinition, scaleWorkflows, type ScaleWorkflow } from './workflows.js';

// npm run bench:scale: pages of every kind of filter, and one complete list, among a million tasks.
await withLifetime(async (atEnd) => {
  const options = readScaleOptions();
  const workflows = scaleWorkflows(options.tasks);
  const bench = await openBench(scaleDefinition(workflows, false), atEnd);
  say(`Filling ${options.tasks} tasks`);
  await fillWorkflows(bench.db, workflows);
  const indexed = await fillIndexesOf(bench, workflows);
  const service = await start(bench, atEnd);
  const [largest, ...smaller] = workflows;
  if (!largest) return;
  const filters = await timeKinds(bench, service, largest, filterKinds(largest.tasks), options);
  const fewer = { ...options, requests: Math.ceil(options.requests / 5) };
  const kept = await timeKinds(bench, service, largest, keptKinds(), options);
  const searches = await timeKinds(bench, service, largest, searchKinds(), options);
  const sorts = await timeKinds(bench, service, largest, sortKinds(), fewer);
  const others = [];
  for (const workflow of [smaller[2], smaller[8], smaller.at(-1)]) {
    if (!workflow) continue;
    others.push({
      workflow,
      times: await timeKinds(bench, service, workflow, filterKinds(workflow.tasks), fewer),
    });
  }
  const plans = await explainKinds(bench, bySlowness(filters).slice(0, 3));
  const streamed = await stream(bench, largest, atEnd);
  await writeScaleReport(
    bench,
    { workflows, indexed, filters, kept, searches, sorts, others, plans, streamed },
    options,
  );
});

/** Fills the indexes of fields for existing tasks, as an apply does; returns the seconds. */
async function fillIndexesOf(
  { db, dataSource }: Bench,
  workflows: readonly ScaleWorkflow[],
): Promise<number> {
  const begun = performance.now();
  await applyDefinition(dataSource, readDefinition(scaleDefinition(workflows, true), 'bench.yaml'));
  const seconds = (performance.now() - begun) / 1000;
  say(`Indexes filled in ${seconds.toFixed(1)} s`);
  await db.query('VACUUM (ANALYZE) task_sort_keys, task_words');
  return seconds;
}

function start({ url }: Bench, atEnd: AtEnd): Promise<Target> {
  return startTarget({ name: 'service', program: 'src/main.js', env: { DATABASE_URL: url } }, atEnd);
}

async function timeKinds(
  { ask }: Bench,
  { port }: Target,
  workflow: ScaleWorkflow,
  kinds: readonly Kind[],
  { requests, kinds: words }: ScaleOptions,
): Promise<KindTimes[]> {
  const connection = await openConnection(port);
  const wanted = kinds.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const times: KindTimes[] = [];
  for (const kind of wanted) {
    const one = await timeKind(connection, ask, workflow.id, kind, requests);
    const [p50, p95] = [50, 95].map((at) => percentile(one, at).milliseconds.toFixed(1));
    say(`${workflow.id}, ${kind.name}: p50 ${p50 ?? ''} ms, p95 ${p95 ?? ''} ms`);
    times.push(one);
  }
  connection.close();
  return times;
}

/** Uses a service that has just started: memory that it reserved earlier would hide the growth. */
async function stream(bench: Bench, { id }: ScaleWorkflow, atEnd: AtEnd): ReturnType<typeof streamList> {
  const service = await start(bench, atEnd);
  const connection = await openConnection(service.port);
  await connection.send(bench.ask('GET', `/api/v1/workflows/${id}/tasks?_limit=1`));
  connection.close();
  const streamed = await streamList(service, `/api/v1/workflows/${id}/tasks`, `Bearer ${bench.key}`);
  const { firstByteMs, growth, seconds } = streamed;
  say(
    `stream: first byte ${firstByteMs.toFixed(0)} ms, growth ${(growth / 1e6).toFixed(0)} MB, ${seconds.toFixed(1)} s`,
  );
  return streamed;
}
