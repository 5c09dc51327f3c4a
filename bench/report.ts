import { readFile } from 'node:fs/promises';
import { type Crowd } from './connections.js';
import { type Latency, type MeasuredExecutions } from './executions.js';
import { describeMachine } from './machine.js';
import { fromRoot, percent, table, writeMarkdown } from './markdown.js';
import { type MeasuredPair } from './pairs.js';
import { type Measured } from './measure.js';
import { type Options } from './options.js';
import { type Ground } from './prepare.js';
import { type Profile } from './profile.js';
import { median, type Turns } from './rounds.js';

export interface Results {
  readonly measured: readonly Measured[];
  readonly crowds: readonly Crowd[];
  readonly pairs: readonly MeasuredPair[];
  readonly logShare: number;
  readonly executions: MeasuredExecutions | undefined;
}

/** Writes the results to bench/report.md; a run that is not the standard one does not. */
export async function writeReport(
  { db, load }: Ground,
  { measured, crowds, pairs, logShare, executions }: Results,
  options: Options,
): Promise<void> {
  const parts = [
    '# Benchmark',
    `\`npm run bench\` on Node.js ${process.versions.node.split('.')[0] ?? ''} writes this file; \`bench/notes.md\` is its last section.`,
    `${await describeMachine(db)}, under a load of ${load.toFixed(1)} beforehand; client, targets and PostgreSQL share the cores. ${options.tasks} tasks of 16 fields, ` +
      `32 connections in a closed loop, ${options.rounds} rounds of ${options.seconds} s per target in turns. Rates are ` +
      'medians of requests per second, ratios those of the medians, with the least and the most of a round in brackets. ' +
      'The floor is node:http and pg with the statements of the service; the floor that records has the trigger write an event ' +
      'for each change, as the service does. Bare NestJS has the adapter of the service. Names of targets are those of `bench/prepare.ts`.',
    ratios(measured),
    'Processor time of the target itself, in microseconds per request: other work on the machine disturbs it less than the rates.',
    costs(measured),
    'Over few and over many connections: the rate of the service in parts of that of the floor (for writes, of the floor that ' +
      'records), and how long a request takes, in milliseconds.',
    crowdsTable(crowds),
    `The request log stays on, as by default, and goes to /dev/null: ${percent(logShare)} of the processor time of ` +
      'reading one task.',
    '## What links and files cost',
    'The service beside itself: how long the first request takes, in times of the second; the rest as above.',
    pairsTable(pairs),
    '## Executions',
    'Of one step without HTTP, by Bull: 2,000 POSTs a turn over 32 connections, and the rate from the first POST to the ' +
      'last Success. The floor inserts a row and adds a Bull job, whose processor runs one update.',
    executions ? executionsTable(executions.turns) : 'There was no Redis.',
    'Milliseconds from a POST with `Prefer: wait` to its answer, one at a time:',
    latencyTable(executions?.latencies ?? []),
    '## Where the service spends its time',
    'Shares of the time that its process is busy, by self time, in a pass of its own.',
    ...measured.flatMap(({ case: { name }, profiles }) => [
      `### ${name}`,
      profileText(profiles, namesOf(measured)),
    ]),
    await readFile(fromRoot('bench/notes.md'), 'utf8'),
  ];
  await writeMarkdown(options.isStandard ? `bench/${reportName()}` : 'dist/bench/report.md', parts);
}

/** The first report is for the oldest Node.js that the service supports; other versions have their own. */
function reportName(): string {
  const [major = ''] = process.versions.node.split('.');
  return major === '20' ? 'report.md' : `report-node-${major}.md`;
}

function ratios(measured: readonly Measured[]): string {
  const rows = measured.map(({ case: { name, target, isWrite }, turns }) => {
    const [service, floor, recording] = turns;
    const rates = turns.map(({ rates }) => median(rates).toFixed(0));
    const { ratio, text } = compare(service, isWrite ? recording : floor);
    return [name, ...rates, text, target.toFixed(2), ratio >= target ? 'yes' : '**falls short**'];
  });
  return table(['case', ...namesOf(measured), 'of its floor', 'wanted', 'reached'], rows);
}

function crowdsTable(crowds: readonly Crowd[]): string {
  const rows = crowds.map(({ case: name, connections, targets: [service, floor, recording] }) => {
    const than = name === 'read one' ? floor : recording;
    const numbers = [service?.p50, than?.p50, service?.p99, than?.p99].map((ms = NaN) => ms.toFixed(1));
    const ratio = (service?.rate ?? NaN) / (than?.rate ?? NaN);
    return [name, String(connections), (service?.rate ?? NaN).toFixed(0), ratio.toFixed(2), ...numbers];
  });
  const head = ['connections', 'rate', 'of its floor', 'p50', "the floor's", 'p99', "the floor's"];
  return table(['case', ...head], rows);
}

function namesOf([first]: readonly Measured[]): string[] {
  return first?.turns.map(({ target }) => target) ?? [];
}

function pairsTable(pairs: readonly MeasuredPair[]): string {
  const rows = pairs.map(({ pair: { name, than, atMost = Infinity }, turns: [first, second] }) => {
    // The time of a request is the inverse of the rate.
    const { ratio, text } = compare(second, first);
    const rates = [first, second].map((turns) => median(turns?.rates ?? []).toFixed(0));
    const verdict =
      atMost === Infinity ? ['', ''] : [atMost.toFixed(2), ratio <= atMost ? 'yes' : '**falls short**'];
    return [name, ...rates, text, than, ...verdict];
  });
  return table(['case', 'rate', 'rate of the other', 'time', 'compared with', 'at most', 'reached'], rows);
}

function executionsTable([service, floor]: readonly Turns[]): string {
  const { ratio, text } = compare(service, floor);
  const rates = [service, floor].map((turns) => median(turns?.rates ?? []).toFixed(0));
  const row = ['executions by Bull', ...rates, text, '0.60', ratio >= 0.6 ? 'yes' : '**falls short**'];
  return table(['case', 'service', 'floor', 'of the floor', 'wanted', 'reached'], [row]);
}

function latencyTable(latencies: readonly Latency[]): string {
  const rows = latencies.map(({ name, p50, p99 }) => {
    const verdict = p50 <= 50 && p99 <= 200 ? 'yes' : '**falls short**';
    return [name, p50.toFixed(1), p99.toFixed(1), '50 and 200', verdict];
  });
  return table(['case', 'p50', 'p99', 'wanted', 'reached'], rows);
}

function costs(measured: readonly Measured[]): string {
  const rows = measured.map(({ case: { name }, turns }) => [
    name,
    ...turns.map(({ costs }) => median(costs).toFixed(0)),
  ]);
  return table(['case', ...namesOf(measured)], rows);
}

function compare(one?: Turns, other?: Turns): { ratio: number; text: string } {
  const ratio = median(one?.rates ?? []) / median(other?.rates ?? []);
  const rounds = one?.rates.map((rate, round) => rate / (other?.rates[round] ?? NaN)) ?? [];
  const [least, most] = [Math.min(...rounds).toFixed(2), Math.max(...rounds).toFixed(2)];
  return { ratio, text: `${ratio.toFixed(2)} (${least}–${most})` };
}

function profileText([service, ...baselines]: readonly Profile[], names: readonly string[]): string {
  if (!service) return '';
  const { idle, garbage, native, functions } = service;
  return [
    `Idle ${percent(idle)} of the time; native code and the system ${percent(native)}, garbage collection ${percent(garbage)}.`,
    table(
      ['function', 'share'],
      functions.slice(0, 5).map(({ name, share }) => [name, percent(share)]),
    ),
    'Microseconds per request, by package or folder, beside those of the baselines:',
    placesTable([service, ...baselines], names),
  ].join('\n\n');
}

function placesTable(all: readonly [Profile, ...Profile[]], names: readonly string[]): string {
  const [service] = all;
  const timeOf = ({ places, busy }: Profile, place: string): number =>
    (places.find(({ name }) => name === place)?.share ?? 0) * busy;
  const rows = service.places
    .slice(0, 15)
    .map(({ name }) => [name, ...all.map((profile) => timeOf(profile, name).toFixed(0))]);
  const whole = ['all, with the system', ...all.map(({ busy }) => busy.toFixed(0))];
  return table(['', ...names], [...rows, whole]);
}
