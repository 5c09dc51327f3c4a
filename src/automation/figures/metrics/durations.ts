import { type EntityManager } from 'typeorm';
import { type Bindings } from '../../../tasks/store/where.sql.js';
import { type Calendar, openTimes } from '../../../workflows/time/calendar.js';
import { DAY } from '../../../workflows/time/zone.js';
import { firstInstantOf } from '../figure-query.js';
import { type FigureQuery, type Metric, type Point, type Series } from '../figure.js';
import { byGroup, type Grouped, readFigureRows } from '../figures.repository.js';

const columns = ['from', 'p50_seconds', 'p85_seconds', 'p95_seconds', 'tasks'];
const percentiles =
  'p50, p85 and p95 are the time within which 50, 85 and 95 of 100 of them were done: one that a task took, at most 1 % above the exact one.';

/** How long finished tasks took, from their creation. */
export const cycleTime: Metric = {
  name: 'cycle_time',
  summary: 'How long finished tasks took',
  columns,
  interval: 'week',
  period: [-84, 1],
  definition: (query) =>
    `Tasks that came into an end stage from another one in each ${query.interval}: ${timeOf(query)} from their creation until then. A reopened task counts each time that it is finished. ${percentiles}`,
  async read(db, query) {
    const ends = (bindings: Bindings): string => `v.stage_to = ANY(${bindings.bind(query.stages.ends)})`;
    return seriesOf(query, await readLengths(db, query, 'v.began_at', '0', ends));
  },
};

export const timeInStage: Metric = {
  name: 'time_in_stage',
  summary: 'How long tasks stay in each stage',
  columns,
  interval: 'week',
  period: [-84, 1],
  definition: (query) =>
    `Stays in each stage that ended in each ${query.interval}: ${timeOf(query)} from entering the stage until leaving it for another one. End stages are left out. ${percentiles}`,
  async read(db, query) {
    const stays = await staysIn(db, query);
    return query.stages.open.flatMap((id) => {
      const ofStage = stays.filter(({ stage }) => stage === id);
      return ofStage.length > 0 ? seriesOf(query, ofStage, query.stages.nameOf(id)) : [];
    });
  },
};

/** The lengths of the stays that ended in the period. */
export const staysIn = (db: EntityManager, query: FigureQuery): Promise<Lengths[]> =>
  readLengths(db, query, 'v.entered_at', 'v.stage_id', () => 'v.stage_to IS NOT NULL');

/** Percentiles in seconds of `n` stays, by bucket, stage and group. */
interface Lengths extends Grouped {
  readonly bucket: number;
  readonly stage: number;
  readonly lengths: readonly [p50: number, p85: number, p95: number];
  readonly n: number;
}

/**
 * Reads the percentiles of visits `v` of open stages that ended in the period and meet a condition, from `since` until
 * their end. It reads them without sorting all visits, which would take long for hundreds of thousands. Visits are counted in
 * cells whose lengths differ by 1 %, and each percentile is the longest visit of its cell. Bucket, stage and cell form
 * one number; OFFSET 0 keeps PostgreSQL from expecting so many numbers that it would sort them.
 */
async function readLengths(
  db: EntityManager,
  query: FigureQuery,
  since: string,
  stage: string,
  condition: (bindings: Bindings) => string,
): Promise<Lengths[]> {
  const { from, to, stages, buckets, calendar } = query;
  if (buckets.length === 0) return [];
  return readFigureRows<Lengths>(db, query, (parts) => {
    const { bindings, instantOf: sqlOf } = parts;
    const seconds = calendar
      ? workingSeconds(calendar, firstInstantOf(query, to).getTime(), bindings)(since, 'v.left_at')
      : `date_part('epoch', v.left_at - ${since})`;
    const visits = parts.visits(
      `v.stage_id = ANY(${bindings.bind(stages.open)}) AND v.left_at >= ${sqlOf(from)} AND v.left_at < ${sqlOf(to)} AND ${condition(bindings)}`,
    );
    const share = (part: number): string => `min(longest) FILTER (WHERE upto >= ${part} * total)`;
    return `
      SELECT (key >> 44)::integer AS bucket, (key >> 12 & 4294967295) AS stage, g, max(total) AS n,
        ARRAY[${share(0.5)}, ${share(0.85)}, ${share(0.95)}] AS lengths
      FROM (
        SELECT *, sum(n) OVER (PARTITION BY key >> 12, g ORDER BY key) AS upto,
          sum(n) OVER (PARTITION BY key >> 12, g) AS total
        FROM (
          SELECT (bucket::bigint << 44) + (stage::bigint << 12) + (ln(greatest(seconds, 1)) * 100)::integer AS key, g,
            count(*) AS n, max(seconds) AS longest
          FROM (
            SELECT ${parts.bucketOf('v.left_at')} AS bucket, ${stage} AS stage, ${parts.g} AS g, (${seconds})::float8 AS seconds
            FROM ${visits} OFFSET 0
          ) v
          WHERE seconds IS NOT NULL GROUP BY 1, 2
        ) cells
      ) ranked GROUP BY 1, 2, 3 ORDER BY 1`;
  });
}

const timeOf = ({ calendar }: FigureQuery): string => (calendar ? 'the working time' : 'the elapsed time');

/** Working time is counted for the last ten years. */
const HORIZON = 3653 * DAY;

/**
 * SQL: the working time in seconds between two instants, neither of them after `end`: the working time until the one
 * minus that until the other. That is a sum up to the last opening or closing, plus the time since an opening.
 */
function workingSeconds(
  calendar: Calendar,
  end: number,
  bindings: Bindings,
): (from: string, to: string) => string {
  const changes: number[] = [];
  const counts: number[] = [];
  let count = 0;
  for (const { from, to } of openTimes(calendar, end - HORIZON, end)) {
    changes.push(from / 1000, to / 1000);
    counts.push(count, (count += (to - from) / 1000));
  }
  const [ats, sums] = [bindings.bind(changes), bindings.bind(counts)].map((name) => `${name}::float8[]`);
  const until = (instant: string): string => `(
    SELECT COALESCE((${sums})[nth], 0) + CASE WHEN nth % 2 = 1 THEN at - (${ats})[nth] ELSE 0 END
    FROM (SELECT date_part('epoch', ${instant}) AS at, width_bucket(date_part('epoch', ${instant}), ${ats}) AS nth) i
  )`;
  return (from, to) => `(${until(to)} - ${until(from)})`;
}

/** A series for each group, named after it and the stage. */
function seriesOf(query: FigureQuery, lengths: readonly Lengths[], stage?: string): Series[] {
  if (lengths.length === 0) return [];
  return byGroup(query, lengths).map(({ name, rows }) => ({
    name: [name, stage].filter(Boolean).join(': ') || 'Finished',
    points: rows.map((row): Point => [
      query.buckets[row.bucket - 1] ?? '',
      ...row.lengths.map(Math.round),
      row.n,
    ]),
  }));
}
