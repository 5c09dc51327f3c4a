import type pg from 'pg';
import { recordLists } from '../record-lists.js';
import { type Bench } from '../open-bench.js';
import { type KindTimes, percentile } from './pages.js';

export interface Plan {
  readonly kind: string;
  readonly path: string;
  readonly milliseconds: number;
  /** The plan of each statement of the page. */
  readonly texts: readonly string[];
}

/** The plans of the pages at the 95th percentile of these kinds. */
export async function explainKinds(bench: Bench, kinds: readonly KindTimes[]): Promise<Plan[]> {
  const pages = kinds.map((times) => percentile(times, 95));
  const requests = pages.map(({ path }) => bench.ask('GET', path));
  const recorded = await recordLists(bench.url, requests);
  const plans: Plan[] = [];
  for (const [index, { path, milliseconds }] of pages.entries()) {
    const texts: string[] = [];
    for (const { text, values } of recorded[index]?.queries ?? [])
      texts.push(await explain(bench.db, text, values));
    plans.push({ kind: kinds[index]?.kind.name ?? '', path, milliseconds, texts });
  }
  return plans;
}

async function explain(db: pg.Client, text: string, values: readonly unknown[]): Promise<string> {
  // The same setting as in the service's own sessions.
  await db.query('SET jit = off');
  const { rows } = await db.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, [
    ...values,
  ]);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
