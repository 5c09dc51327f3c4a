import { readFile } from 'node:fs/promises';
import { describeMachine, table, writeMarkdown } from './markdown.js';
import { type Measured } from './measure.js';
import { type Options } from './options.js';
import { type Ground } from './prepare.js';
import { median, type Turns } from './rounds.js';

/** Writes the results to bench/report.md or, if the run has options, to dist/bench/report.md. */
export async function writeReport(
  { db, load }: Ground,
  measured: readonly Measured[],
  options: Options,
): Promise<void> {
  const parts = [
    '# Benchmark',
    '`npm run bench` writes this file. The floor is a program of only `node:http` and `pg`: it executes ' +
      'the statements of the service, but reads lists by handwritten ones. Writes are compared with the ' +
      'floor that records: there, as in the service, a trigger writes an event for each change.',
    `${await describeMachine(db)}, under a load of ${load.toFixed(1)} beforehand; client, targets and PostgreSQL share the ` +
      `cores. ${options.tasks} tasks of 16 fields, ${options.rounds} rounds of ${options.seconds} s per target in turns. ` +
      'Rates are medians of requests per second; a ratio is of two medians (lowest–highest of a round).',
    rates(measured),
    'Processor time of the target itself, in microseconds per request (other work on the machine disturbs it less than the ' +
      'rates), and the milliseconds that 99 of 100 requests take at most:',
    costs(measured),
    await otherCommands(),
  ];
  await writeMarkdown(options.isStandard ? 'bench/report.md' : 'dist/bench/report.md', parts);
}

/** The part of the report that is written by hand. */
async function otherCommands(): Promise<string> {
  const report = await readFile(new URL('../../bench/report.md', import.meta.url), 'utf8');
  return report.slice(report.indexOf('## By other commands')).trim();
}

function rates(measured: readonly Measured[]): string {
  const rows = measured.map((one) => {
    const { name, target } = one.case;
    const [service, floor] = compared(one);
    const { ratio, text } = ratioOf(service, floor);
    const wanted = one.connections === 1 ? Math.min(target, 0.9) : target;
    const verdict = ratio >= wanted ? 'yes' : '**falls short**';
    const medians = [service, floor].map((turns) => median(turns?.rates ?? []).toFixed(0));
    return [name, String(one.connections), ...medians, text, wanted.toFixed(2), verdict];
  });
  return table(['case', 'connections', 'service', 'floor', 'of the floor', 'wanted', 'reached'], rows);
}

function costs(measured: readonly Measured[]): string {
  const rows = measured.map((one) => {
    const both = compared(one);
    const micros = both.map((turns) => median(turns?.costs ?? []).toFixed(0));
    const p99 = both.map((turns) => median(turns?.p99 ?? []).toFixed(1));
    return [one.case.name, String(one.connections), ...micros, ...p99];
  });
  return table(['case', 'connections', 'service, µs', 'floor, µs', 'service, p99', 'floor, p99'], rows);
}

/** The service, and the floor that it is compared with. */
function compared({
  case: { isWrite },
  turns: [service, floor, recording],
}: Measured): (Turns | undefined)[] {
  return [service, isWrite ? recording : floor];
}

function ratioOf(one?: Turns, other?: Turns): { ratio: number; text: string } {
  const ratio = median(one?.rates ?? []) / median(other?.rates ?? []);
  const rounds = one?.rates.map((rate, round) => rate / (other?.rates[round] ?? NaN)) ?? [];
  const [least, most] = [Math.min(...rounds).toFixed(2), Math.max(...rounds).toFixed(2)];
  return { ratio, text: `${ratio.toFixed(2)} (${least}–${most})` };
}
