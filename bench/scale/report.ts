import { describeMachine } from '../machine.js';
import { table, writeMarkdown } from '../markdown.js';
import { type Bench } from '../open-bench.js';
import { type ScaleOptions } from './options.js';
import { type KindTimes, type PageTime, percentile } from './pages.js';
import { type Plan } from './plans.js';
import { type Streamed } from './stream.js';
import { type ScaleWorkflow } from './workflows.js';

/** All results of a run. */
export interface Scale {
  readonly workflows: readonly ScaleWorkflow[];
  /** For the largest workflow. */
  readonly filters: readonly KindTimes[];
  /** For orders that an index keeps. */
  readonly kept: readonly KindTimes[];
  readonly searches: readonly KindTimes[];
  readonly sorts: readonly KindTimes[];
  /** Seconds that filling the indexes of fields took. */
  readonly indexed: number;
  /** All kinds of filters, on workflows other than the largest. */
  readonly others: readonly { readonly workflow: ScaleWorkflow; readonly times: readonly KindTimes[] }[];
  readonly plans: readonly Plan[];
  readonly streamed: Streamed;
}

/** Writes the results to bench/scale-report.md; a run that is not the standard one does not. */
export async function writeScaleReport({ db }: Bench, scale: Scale, options: ScaleOptions): Promise<void> {
  const [largest] = scale.workflows;
  const parts = [
    '# Scale',
    '`npm run bench:scale` writes this file.',
    `${await describeMachine(db)}. ${options.tasks} tasks of 17 fields in ${scale.workflows.length} workflows, the largest ` +
      `of ${largest?.tasks ?? 0}. Of each kind of list ${options.requests} pages of 100 are asked for, one after another, ` +
      'on the largest workflow: first ones and those behind, by their `Link`. Times are those of the client, in milliseconds.',
    '## Filters',
    `No 95th percentile may be above ${MAX_MS} ms.`,
    kindTable(scale.filters, MAX_MS),
    '## Filters on smaller workflows',
    otherTable(scale.others),
    '## Orders that an index keeps',
    `No 95th percentile may be above ${MAX_KEPT_MS} ms. City, Amount, Due and Kind say \`index: true\`: to fill these indexes ` +
      `and those of words of all ${scale.workflows.length} workflows took ${scale.indexed.toFixed(0)} s, while others could write.`,
    kindTable(scale.kept, MAX_KEPT_MS),
    '## Searches',
    `No 95th percentile may be above ${MAX_MS} ms. All workflows say \`search: true\`.`,
    kindTable(scale.searches, MAX_MS),
    '## Other sorted lists',
    'There is no limit set for these, and a fifth of the pages is asked for; so it was on the smaller workflows.',
    kindTable(scale.sorts, Infinity),
    '## The complete list of the largest workflow',
    streamText(scale.streamed),
    '## The plans of the three slowest kinds',
    ...scale.plans.flatMap(planText),
  ];
  await writeMarkdown(options.isStandard ? 'bench/scale-report.md' : 'dist/bench/scale-report.md', parts);
}

const MAX_MS = 50;
const MAX_KEPT_MS = 20;
const MAX_GROWTH = 100e6;
const MAX_FIRST_BYTE_MS = 200;

/** The slowest at the 95th percentile first. */
export function bySlowness(times: readonly KindTimes[]): KindTimes[] {
  return [...times].sort(
    (one, other) => percentile(other, 95).milliseconds - percentile(one, 95).milliseconds,
  );
}

function kindTable(times: readonly KindTimes[], limit: number): string {
  const rows = bySlowness(times).map((one) => {
    const at95 = percentile(one, 95).milliseconds;
    const verdict = at95 > limit ? '**too slow**' : '';
    return [one.kind.name, ...[50, 95, 100].map((at) => ms(percentile(one, at))), ...found(one), verdict];
  });
  return table(['kind', 'p50', 'p95', 'max', 'tasks a page', 'empty pages', ''], rows);
}

/** The number of tasks on the pages: the median, and the number of empty pages. */
function found({ pages }: KindTimes): string[] {
  const counts = pages.map(({ tasks }) => tasks).sort((one, other) => one - other);
  const isEmpty = counts.filter((count) => count === 0);
  return [String(counts[Math.floor(counts.length / 2)] ?? 0), String(isEmpty.length)];
}

function otherTable(others: Scale['others']): string {
  const rows = others.map(({ workflow, times }) => {
    const [slowest] = bySlowness(times);
    if (!slowest) return [];
    const p95 = percentile(slowest, 95);
    const verdict = p95.milliseconds > MAX_MS ? '**too slow**' : '';
    return [`${workflow.id}, ${workflow.tasks} tasks`, slowest.kind.name, ms(p95), verdict];
  });
  return table(['workflow', 'slowest kind', 'its p95', ''], rows);
}

function streamText({ firstByteMs, seconds, bytes, tasks, growth, before }: Streamed): string {
  const mb = (count: number): string => (count / 1e6).toFixed(0);
  const verdictOf = (value: number, most: number): string => (value < most ? 'yes' : '**falls short**');
  const rows = [
    [
      'first byte',
      `${firstByteMs.toFixed(0)} ms`,
      `${MAX_FIRST_BYTE_MS} ms`,
      verdictOf(firstByteMs, MAX_FIRST_BYTE_MS),
    ],
    ['growth of the process', `${mb(growth)} MB`, `${mb(MAX_GROWTH)} MB`, verdictOf(growth, MAX_GROWTH)],
  ];
  return [
    table(['', 'measured', 'below', 'reached'], rows),
    `${tasks} tasks, ${mb(bytes)} MB in ${seconds.toFixed(1)} s; the service is a fresh one of ${mb(before)} MB.`,
  ].join('\n\n');
}

function planText({ kind, path, milliseconds, texts }: Plan): string[] {
  const [, query = ''] = path.split('?');
  const shown = decodeURIComponent(query).replace(/&_after=.*/, '&_after=…');
  return [
    `### ${kind}`,
    `\`?${shown}\`, ${milliseconds.toFixed(1)} ms at the client.`,
    ...texts.map((text) => `\`\`\`\n${text}\n\`\`\``),
  ];
}

function ms({ milliseconds }: PageTime): string {
  return milliseconds.toFixed(1);
}
