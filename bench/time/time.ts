import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { percentileOf } from '../events/reading.js';
import { type Row } from '../events/report.js';
import { withLifetime } from '../lifetime.js';
import { describeMachine } from '../machine.js';
import { table, writeMarkdown } from '../markdown.js';
import { type Bench, openBench } from '../open-bench.js';
import { say } from '../say.js';
import { startTarget, type Target } from '../target.js';
import { fillClocks, timeDuePages, timeLooks, timeRungs } from './clocks.js';
import { timeDefinition } from './definition.js';
import { measureOverhead } from './overhead.js';
import { timeFollowing, timeStarts } from './rules.js';

// npm run bench:time: measures automatic work with 1,000,000 running clocks, or five times `--tasks` of them.
await withLifetime(async (atEnd) => {
  const { values } = parseArgs({
    options: { tasks: { type: 'string', default: '200000' }, rounds: { type: 'string', default: '9' } },
  });
  const tasks = Number(values.tasks);
  const [load = NaN] = loadavg();
  const bench = await openBench(timeDefinition({ rules: 50, clocks: 5 }), atEnd);
  await bench.db.query('DELETE FROM clock_changes');
  await fillClocks(bench.db, tasks);
  say(`${tasks} tasks with five running clocks each`);
  const env = { DATABASE_URL: bench.url, WTS_LOG_LEVEL: 'warn' };
  const service = await startTarget({ name: 'service', program: 'src/main.js', env }, atEnd);
  const rows: Row[] = [];
  for await (const row of measureTime(bench, service)) {
    say(`${row.what}: ${row.measured} (${row.wanted})`);
    rows.push(row);
  }
  await service.stop();
  const { create, update } = await measureOverhead(Number(values.rounds), 2, atEnd);
  for (const [what, ratio] of [['creations', create] as const, ['updates', update] as const]) {
    rows.push(atLeast(`rate of ${what} with 50 rules and 3 clocks, of that without`, ratio, '', 0.97, 3));
    say(`${what}: ${ratio.toFixed(3)}`);
  }
  await write(bench, rows, tasks, load);
});

async function* measureTime(bench: Bench, service: Target): AsyncGenerator<Row> {
  const looks = await timeLooks(bench, 200);
  yield atMost(`looking for due clocks among the running ones, p50`, percentileOf(looks, 50), ' ms', 2);
  yield atMost(
    'a page of 100 tasks by `_due`, p95',
    percentileOf(await timeDuePages(bench, service, 200), 95),
    ' ms',
    20,
  );
  const { entered, ended } = await timeStarts(bench, service, 200);
  yield atMost(
    'from the commit of a creation until the execution of its rule is entered, p50',
    percentileOf(entered, 50),
    ' ms',
    150,
  );
  yield atMost('the same, p99', percentileOf(entered, 99), ' ms', 1000);
  yield atMost(
    'from the commit of a creation until that execution has ended, p50',
    percentileOf(ended, 50),
    ' ms',
  );
  const steady = await timeRungs(bench, service, 'steady', 500, 20_000);
  yield atMost('lateness of rungs, 25 a second, p95', percentileOf(steady, 95), ' ms', 1000);
  const burst = await timeRungs(bench, service, 'burst', 2000, 1000);
  yield atMost('lateness of 2,000 rungs that are due in one second, p95', percentileOf(burst, 95), ' ms');
  const rules = await timeFollowing(bench, 1000, 10, `AND f.name = 'rules'`);
  yield atMost('lag of 50 rules behind 1,000 events a second', rules.lag, ' s', 1);
  yield atLeast('events that 50 rules follow when they are behind', rules.rate, '/s', 1000);
  const both = await timeFollowing(bench, 1000, 10);
  yield atMost('lag of 50 rules and 5 clocks behind 1,000 events a second', both.lag, ' s', 1);
  yield atLeast('events that 50 rules and 5 clocks follow when they are behind', both.rate, '/s', 1000);
}

function shown(value: number, unit: string, digits = value < 100 ? 1 : 0): string {
  return `${value.toFixed(digits)}${unit}`;
}

function atMost(what: string, value: number, unit: string, most?: number): Row {
  const wanted = most === undefined ? '' : `at most ${most}${unit}`;
  return { what, measured: shown(value, unit), wanted, isReached: value <= (most ?? Infinity) };
}

function atLeast(what: string, value: number, unit: string, least: number, digits?: number): Row {
  const wanted = `at least ${least}${unit}`;
  return { what, measured: shown(value, unit, digits), wanted, isReached: value >= least };
}

/** Writes the results to bench/time-report.md; a run with fewer clocks does not. */
async function write({ db }: Bench, rows: readonly Row[], tasks: number, load: number): Promise<void> {
  const parts = [
    '# Rules and clocks',
    '`npm run bench:time` writes this file.',
    `${await describeMachine(db)}, under a load of ${load.toFixed(1)} beforehand; client, service and PostgreSQL share the cores` +
      `${load > 1 ? ' with other work, so that ratios tell more than times' : ''}. One process does all work. The workspace has ${tasks} tasks ` +
      `with five running clocks each, ${tasks * 5} in all, and 50 rules: one is met by creations, 25 read the task of each event and are false, the ` +
      'rest wait for something else. The steady stream changes a value and the stage of 1,000 tasks a second. The two rates of the last ' +
      'rows are those of processes that only write; each has a database of its own, and they take turns.',
    table(
      ['', 'measured', 'wanted', 'reached'],
      rows.map(({ what, measured, wanted, isReached }) => [
        what,
        measured,
        wanted,
        wanted === '' ? '' : isReached ? 'yes' : '**falls short**',
      ]),
    ),
  ];
  await writeMarkdown(tasks >= 200_000 ? 'bench/time-report.md' : 'dist/bench/time-report.md', parts);
}
