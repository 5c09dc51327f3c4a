import { describeMachine } from '../machine.js';
import { table, writeMarkdown } from '../markdown.js';
import { type Bench } from '../open-bench.js';
import { type EventsWanted } from './fill.js';

/** A result with its limit. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly wanted: string;
  readonly isReached: boolean;
}

/** Writes the results to bench/events-report.md; a run with few events does not. */
export async function writeEventsReport(
  { db }: Bench,
  rows: readonly Row[],
  {
    events,
    deliveries,
    load,
    isStandard,
  }: EventsWanted & { readonly load: number; readonly isStandard: boolean },
): Promise<void> {
  const parts = [
    '# Events',
    '`npm run bench:events` writes this file.',
    `${await describeMachine(db)}, under a load of ${load.toFixed(1)} beforehand; client, service and PostgreSQL share the ` +
      `cores. The workspace has ${events} events of ${Math.ceil(events / 100)} tasks, which were changed in turns, and ` +
      `${deliveries} deliveries. Pages have 100 elements unless said; they are asked for one after another, each ` +
      'somewhere else. Times are those of the client.',
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
  await writeMarkdown(isStandard ? 'bench/events-report.md' : 'dist/bench/events-report.md', parts);
}
