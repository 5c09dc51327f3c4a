import { describeMachine, table, writeMarkdown } from '../markdown.js';
import { type Bench } from '../open-bench.js';
import { type Options } from '../options.js';
import { percentile } from '../rounds.js';
import { type KindTimes } from './pages.js';

export interface Scale {
  readonly times: readonly KindTimes[];
  /** How many pages of each kind were asked for. */
  readonly requests: number;
  /** Seconds that filling the indexes took. */
  readonly indexed: number;
}

/** Writes the results to bench/scale-report.md or, if the run has options, to dist/bench/scale-report.md. */
export async function writeScaleReport({ db }: Bench, scale: Scale, options: Options): Promise<void> {
  const parts = [
    '# Lists among a million tasks',
    '`npm run bench:scale` writes this file.',
    `${await describeMachine(db)}. ${options.tasks} tasks of 16 fields in one workflow. For each kind of ` +
      `list, ${scale.requests} pages of 100 tasks are requested, one after another: first pages, and later ` +
      'ones by `Link`. Times are those of the client, in milliseconds.',
    'Amount, Due Date and Tier have `index: true`, and the workflow has `search: true`. Filling these ' +
      `indexes took ${scale.indexed.toFixed(0)} s, and others could write in the meantime.`,
    kindTable(scale.times),
  ];
  await writeMarkdown(options.isStandard ? 'bench/scale-report.md' : 'dist/bench/scale-report.md', parts);
}

function kindTable(all: readonly KindTimes[]): string {
  const rows = all.map(({ kind: { name, atMost }, times }) => {
    const verdict = percentile(times, 0.95) > atMost ? '**too slow**' : 'yes';
    const shown = [0.5, 0.95, 1].map((part) => percentile(times, part).toFixed(1));
    return [name, ...shown, String(atMost), verdict];
  });
  return table(['kind', 'p50', 'p95', 'max', 'p95 at most', 'reached'], rows);
}
