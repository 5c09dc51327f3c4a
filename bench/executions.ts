import type pg from 'pg';
import { type Ask } from './ask.js';
import { openConnection } from './connection.js';
import { requireSuccess } from './drive.js';
import { type AtEnd } from './lifetime.js';
import { type Options } from './options.js';
import { openRedis } from './redis.js';
import { median, noTurns, type Turns } from './rounds.js';
import { say } from './say.js';
import { startTarget, type Target } from './target.js';

export interface MeasuredExecutions {
  /** Executions per second, from the first POST to the last Success, of the service with Bull and of the floor. */
  readonly turns: readonly Turns[];
  readonly latencies: readonly Latency[];
}

/** Milliseconds from a POST to the answer with Success, without other work. */
export interface Latency {
  readonly name: string;
  readonly p50: number;
  readonly p99: number;
}

export interface ExecutionsGround {
  readonly url: string;
  readonly db: pg.Client;
  readonly ask: Ask;
}

/** The floor records no events, so the service must not either. */
async function stopRecording(db: pg.Client): Promise<void> {
  const { rows } = await db.query<{ name: string; table: string }>(`
    SELECT tgname AS name, tgrelid::regclass AS table FROM pg_trigger WHERE tgname LIKE 'record%'`);
  for (const { name, table } of rows) await db.query(`ALTER TABLE ${table} DISABLE TRIGGER ${name}`);
  // Statements for many tasks record events themselves if this function says so.
  await db.query(`
    CREATE OR REPLACE FUNCTION records_itself() RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT false'`);
}

/** Measures executions of one step without HTTP; undefined without Redis. */
export async function measureExecutions(
  ground: ExecutionsGround,
  options: Options,
  atEnd: AtEnd,
): Promise<MeasuredExecutions | undefined> {
  if (options.cases.length > 0 && !options.cases.includes('executions')) return undefined;
  const redisUrl = await openRedis(atEnd);
  if (redisUrl === undefined) return undefined;
  await ground.db.query(floorTable);
  await stopRecording(ground.db);
  const program = 'src/main.js';
  const env = { DATABASE_URL: ground.url };
  const next = requests(ground.ask, options.tasks);
  const within = await startTarget({ name: 'within the process', program, env }, atEnd);
  const ownLatency = await latencyOf(within, () => waiting(next()));
  // Otherwise this service would take part in the other's work.
  await within.stop();
  const byBull = await startTarget({ name: 'by Bull', program, env: { ...env, REDIS_URL: redisUrl } }, atEnd);
  const floorProgram = 'bench/baselines/executions-floor.js';
  const floor = await startTarget({ name: 'floor', program: floorProgram, env: { ...env, REDIS_URL: redisUrl } }, atEnd); // prettier-ignore
  const latencies = [await latencyOf(byBull, () => waiting(next())), ownLatency];
  const turns = await takeTurns(ground.db, [{ target: byBull, table: 'executions' }, { target: floor, table: 'floor_executions' }], next, options); // prettier-ignore
  say(line(turns, latencies));
  return { turns, latencies };
}

const floorTable = `
  CREATE TABLE floor_executions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, task text NOT NULL, action text NOT NULL,
    status text NOT NULL DEFAULT 'Pending'
  );
  CREATE INDEX ON floor_executions (id) WHERE status = 'Pending'`;

interface Contender {
  readonly target: Target;
  readonly table: string;
}

/** POSTs, each for another task. */
function requests(ask: Ask, tasks: number): () => string {
  let number = 0;
  return () => {
    number = (number % tasks) + 1;
    const body = { task_id: `C-${number}`, action_id: 'review' };
    return ask('POST', '/api/v1/workflows/cases/executions', body);
  };
}

const waiting = (request: string): string => request.replace('\r\n\r\n', '\r\nPrefer: wait=10\r\n\r\n');

async function latencyOf({ name, port }: Target, next: () => string): Promise<Latency> {
  const connection = await openConnection(port);
  const times: number[] = [];
  for (let n = -50; n < 500; n += 1) {
    const request = next();
    const from = performance.now();
    const answer = await connection.send(request);
    if (answer.status !== 200) throw new Error('an execution has not ended in 10 s');
    if (n >= 0) times.push(performance.now() - from);
  }
  connection.close();
  times.sort((one, other) => one - other);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? NaN;
  return { name, p50: at(0.5), p99: at(0.99) };
}

async function takeTurns(
  db: pg.Client,
  all: readonly Contender[],
  next: () => string,
  { rounds }: Options,
): Promise<Turns[]> {
  const turns = all.map(({ target }) => noTurns(target.name));
  for (const each of all) await turn(db, each, next);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, each] of all.entries()) {
      const before = Number(await each.target.ask('cpu'));
      turns[index]?.rates.push(await turn(db, each, next));
      turns[index]?.costs.push((Number(await each.target.ask('cpu')) - before) / perTurn);
    }
  }
  return turns;
}

const perTurn = 2000;

/** Sends POSTs over 32 connections, and waits until the last execution has ended; returns executions per second. */
async function turn(db: pg.Client, { target, table }: Contender, next: () => string): Promise<number> {
  const connections = await Promise.all(Array.from({ length: 32 }, () => openConnection(target.port)));
  await db.query('VACUUM executions, floor_executions');
  const from = performance.now();
  let sent = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (sent++ < perTurn) {
        const request = next();
        requireSuccess(request, await connection.send(request));
      }
      connection.close();
    }),
  );
  while (await isPending(db, table)) await new Promise((resolve) => setTimeout(resolve, 5));
  return perTurn / ((performance.now() - from) / 1000);
}

async function isPending(db: pg.Client, table: string): Promise<boolean> {
  const { rows } = await db.query<{ exists: boolean }>(`SELECT EXISTS (SELECT FROM ${table} WHERE status = 'Pending')`); // prettier-ignore
  return rows[0]?.exists === true;
}

function line([service, floor]: readonly Turns[], latencies: readonly Latency[]): string {
  const rates = [service, floor].map((turns) => median(turns?.rates ?? []));
  const [own = NaN, least = NaN] = rates;
  const times = latencies.map(({ name, p50, p99 }) => `${name} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`); // prettier-ignore
  return `executions      ${own.toFixed(0)}/s, floor ${least.toFixed(0)}/s: ${(own / least).toFixed(3)}; ${times.join('; ')}`;
}
