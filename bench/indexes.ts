import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { newTask } from './cases.js';
import { clean } from './database.js';
import { caseValues, indexedDefinition } from './definition.js';
import { drive } from './drive.js';
import { casesFilling, fillWorkflow } from './fill.js';
import { withLifetime } from './lifetime.js';
import { type Bench, openBench } from './open-bench.js';
import { median } from './rounds.js';
import { say } from './say.js';
import { startTarget, type Target } from './target.js';

const workflows = ['none', 'one', 'ten', 'words'] as const;
// The same on every Linux.
const MICROSECONDS_A_TICK = 10_000;
let number = 0;

// npm run bench:indexes: creates in workflows of the same 16 fields take turns: with no index, one, ten, and one of
// words. A line for each gives the processor time of a create, for the service and for all processes of PostgreSQL.
await withLifetime(async (atEnd) => {
  const { rounds, seconds, tasks } = readOptions();
  const bench = await openBench(indexedDefinition, atEnd);
  say(`Filling 4 times ${tasks} tasks`);
  for (const workflow of workflows)
    await fillWorkflow(bench.db, { ...casesFilling(tasks), values: caseValues, workflow, stage: '1' });
  await bench.db.query('VACUUM (ANALYZE)');
  const env = { DATABASE_URL: bench.url };
  const service = await startTarget({ name: 'service', program: 'src/main.js', env }, atEnd);
  const costs = new Map(workflows.map((workflow) => [workflow, [] as Cost[]]));
  for (let round = -1; round < rounds; round += 1)
    for (const workflow of workflows) {
      const cost = await costOfCreate(bench, service, workflow, seconds);
      // The first round warms up.
      if (round >= 0) costs.get(workflow)?.push(cost);
    }
  for (const line of linesOf(costs)) say(line);
});

function readOptions(): { rounds: number; seconds: number; tasks: number } {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '3' },
      tasks: { type: 'string', default: '100000' },
    },
  });
  return { rounds: Number(values.rounds), seconds: Number(values.seconds), tasks: Number(values.tasks) };
}

/** Microseconds of processor time per create. */
interface Cost {
  readonly service: number;
  readonly postgres: number;
}

async function costOfCreate(
  { db, ask }: Bench,
  service: Target,
  workflow: string,
  seconds: number,
): Promise<Cost> {
  await clean(db);
  const path = `/api/v1/workflows/${workflow}/tasks`;
  const before = [Number(await service.ask('cpu')), await timeOfPostgres(db)] as const;
  const { all } = await drive(service.port, () => ask('POST', path, newTask((number += 1))), seconds);
  const after = [Number(await service.ask('cpu')), await timeOfPostgres(db)] as const;
  return { service: (after[0] - before[0]) / all, postgres: (after[1] - before[1]) / all };
}

/** Microseconds that the running processes of the server have used; it must be on this machine. */
async function timeOfPostgres(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  const times = rows.map(async ({ pid }) => {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).replace(/^.*\) /s, '').split(' '); // prettier-ignore
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  const ticks = (await Promise.all(times)).reduce((sum, one) => sum + one, 0);
  return ticks * MICROSECONDS_A_TICK;
}

function linesOf(costs: ReadonlyMap<string, readonly Cost[]>): string[] {
  const without = costs.get('none') ?? [];
  return [...costs].map(([workflow, own]) => {
    const totals = own.map(({ service, postgres }) => service + postgres);
    const ratios = totals.map((total, round) => total / sumOf(without[round]));
    const [service, postgres] = [
      median(own.map((one) => one.service)),
      median(own.map((one) => one.postgres)),
    ];
    const range = `[${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}]`;
    const parts = `${service.toFixed(0)} µs of the service, ${postgres.toFixed(0)} µs of PostgreSQL`;
    return `${workflow.padEnd(6)} ${median(ratios).toFixed(3)} ${range} of a create without an index  (${parts})`;
  });
}

function sumOf(cost: Cost | undefined): number {
  return cost ? cost.service + cost.postgres : NaN;
}
