import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { type Ask, asker, type Case, makeCases, tasksPath } from './cases.js';
import { clean, connect, createDatabase, openServer } from './database.js';
import { definition } from './definition.js';
import { fillCases, untilFollowed } from './fill.js';
import { type AtEnd, withLifetime, say } from './lifetime.js';
import { isWanted, type Options, readOptions } from './options.js';
import { median, takeTurns, type Turns } from './rounds.js';
import { startTarget, type Target } from './target.js';

interface Build {
  readonly target: Target;
  readonly db: pg.Client;
  readonly cases: readonly Case[];
}

// `npm run bench:turns -- --other <folder>` compares this build with another checkout, in turns. Each line
// gives the rate, processor time and p99 of a case as shares of the other's. `--other .` compares this build
// with itself among more tasks (`--other-tasks 1000000`) or with more rules (`--other-definition <file>`).
await withLifetime(async (atEnd) => {
  const options = readOptions(100_000);
  if (options.other === undefined) throw new Error('--other must name a checkout that is built');
  const server = await openServer(atEnd);
  const here = await openBuild('here', '.', server, options, atEnd);
  const otherText = options.otherDefinition && (await readFile(options.otherDefinition, 'utf8'));
  const otherOptions = { ...options, tasks: options.otherTasks };
  const other = await openBuild('other', options.other, server, otherOptions, atEnd, otherText);
  await compareCases(here, other, options);
  const memory = [here, other].map(async ({ target }) => (await target.ask('memory')) / 2 ** 20);
  const [own = NaN, others = NaN] = await Promise.all(memory);
  say(`memory         ${own.toFixed(0)} MB, the other ${others.toFixed(0)} MB`);
});

async function openBuild(
  name: string,
  folder: string,
  server: string,
  options: Options,
  atEnd: AtEnd,
  text = definition,
): Promise<Build> {
  const url = await createDatabase(server, atEnd);
  // The start of a build creates the tables that the build's command line needs.
  const env = { DATABASE_URL: url };
  const target = await startTarget({ name, folder, program: 'main.js', env }, atEnd);
  const key = await defineWorkspace(folder, url, text);
  const db = await connect(url, atEnd);
  await db.query('ALTER TABLE tasks SET (autovacuum_enabled = off)');
  say(`Filling ${options.tasks} tasks for the build ${name}`);
  await fillCases(db, options.tasks);
  await untilFollowed(db);
  return { target, db, cases: casesOf(asker(key), options) };
}

/** Creates the workspace by the build's own command line, and a key for it. */
async function defineWorkspace(folder: string, url: string, text: string): Promise<string> {
  const program = resolve(folder, 'dist/wts.js');
  const wts = async (...args: readonly string[]): Promise<string> =>
    (
      await promisify(execFile)(process.execPath, [program, ...args], { env: { DATABASE_URL: url } })
    ).stdout.trim();
  const scratch = await mkdtemp(join(tmpdir(), 'wts-bench-'));
  try {
    const file = join(scratch, 'bench.yaml');
    await writeFile(file, text);
    await wts('apply', file);
    return await wts('key', 'create', '--workspace', 'bench', '--name', 'bench');
  } finally {
    await rm(scratch, { recursive: true });
  }
}

function casesOf(ask: Ask, options: Options): Case[] {
  const all = [...makeCases(ask, options.tasks), filteredPage(ask), execution(ask, options.tasks)];
  return all.filter(({ name }) => isWanted(name, options));
}

/** A page with the same number of tasks, however many tasks there are. */
function filteredPage(ask: Ask): Case {
  const request = (n: number): string => ask('GET', `${tasksPath}?City=City%20${n % 1000}&_limit=20`);
  return { name: 'filtered page', target: 1, isWrite: false, request };
}

/** An action of one step, from the POST to its end. */
function execution(ask: Ask, tasks: number): Case {
  const request = (n: number): string => {
    const body = { task_id: `C-${(n % tasks) + 1}`, action_id: 'review' };
    return ask('POST', '/api/v1/workflows/cases/executions', body).replace('\r\n', '\r\nPrefer: wait=10\r\n');
  };
  return { name: 'execution', target: 1, isWrite: true, request };
}

async function compareCases(here: Build, other: Build, options: Options): Promise<void> {
  let number = 0;
  const nextNumber = (): number => ++number;
  for (const [index, one] of here.cases.entries()) {
    const same = other.cases[index];
    if (!same) throw new Error('the builds have different cases');
    const prepare = async (): Promise<void> => {
      if (one.isWrite) await Promise.all([clean(here.db), clean(other.db)]);
    };
    const [own, others] = await takeTurns(
      [
        { target: here.target, request: one.request },
        { target: other.target, request: same.request },
      ],
      { ...options, prepare, nextNumber },
    );
    if (own && others) say(lineOf(one.name, own, others));
  }
}

function lineOf(name: string, own: Turns, others: Turns): string {
  const rate = ratio(own.rates, others.rates);
  const cost = ratio(own.costs, others.costs);
  const micros = [own, others].map(({ costs }) => median(costs).toFixed(0)).join(' and ');
  return `${name.padEnd(14)} rate ${rate}  processor time ${cost}  (${micros} µs each)  p99 ${ratio(own.p99, others.p99)}`;
}

/** The median of the rounds' ratios, with the smallest and the largest. */
function ratio(own: readonly number[], others: readonly number[]): string {
  const ratios = own.map((value, round) => value / (others[round] ?? NaN));
  const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  return `${middle.toFixed(3)} [${least.toFixed(2)}–${most.toFixed(2)}]`;
}
