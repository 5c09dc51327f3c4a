import { type EntityManager } from 'typeorm';
import { firstInstantOf } from '../figure-query.js';
import { type FigureQuery, type Metric, type Point, type Series } from '../figure.js';
import { byGroup, type FigureSql, type Grouped, readFigureRows } from '../figures.repository.js';
import { workingSeconds } from '../working-time.sql.js';

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
    `Tasks that came into an end stage from another one in each ${query.interval}: ${timeOf(query)} from their creation until then. A reopened task counts each time that it is finished, and also in a series of its own. ${percentiles}`,
  async read(db, query) {
    return [
      ...seriesOf(query, await finished(db, query), ['', 'Finished']),
      ...seriesOf(query, await finished(db, query, true), ['Reopened', 'Reopened']),
    ];
  },
};

/** Visits from which tasks came into an end stage; only of tasks that had been finished before, if `again`. */
function finished(db: EntityManager, query: FigureQuery, again = false): Promise<Lengths[]> {
  return readLengths(db, query, (parts) => {
    const ends = parts.bindings.bind(query.stages.ends);
    return {
      since: 'v.began_at',
      stage: '0',
      condition: `v.stage_to = ANY(${ends})${again ? wasFinished(ends) : ''}`,
    };
  });
}

/** SQL: whether the task of a visit had been finished before. */
const wasFinished = (ends: string): string => `
  AND EXISTS (
    SELECT FROM (
      SELECT r.task_id, min(r.n) AS first FROM stage_visits r
      WHERE r.workspace_id = $1 AND r.workflow_id = $2 AND r.stage_id = ANY(${ends}) AND r.left_at IS NOT NULL
        AND NOT r.stage_to = ANY(${ends})
      GROUP BY 1
    ) o WHERE o.task_id = v.task_id AND o.first < v.n
  )`;

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
      const stage = query.stages.nameOf(id);
      return seriesOf(
        query,
        stays.filter((row) => row.stage === id),
        [stage, stage],
      );
    });
  },
};

/** The lengths of the stays that ended in the period. */
export const staysIn = (db: EntityManager, query: FigureQuery): Promise<Lengths[]> =>
  readLengths(db, query, () => ({
    since: 'v.entered_at',
    stage: 'v.stage_id',
    condition: 'v.stage_to IS NOT NULL',
  }));

/** SQL: visits of open stages that ended in the period and meet a condition, and since when their time counts. */
interface Measured {
  readonly since: string;
  readonly stage: string;
  readonly condition: string;
}

/** Percentiles in seconds of `n` stays, by bucket, stage and group. */
interface Lengths extends Grouped {
  readonly bucket: number;
  readonly stage: number;
  readonly lengths: readonly [p50: number, p85: number, p95: number];
  readonly n: number;
}

/**
 * Reads percentiles without sorting all visits, which would take long for hundreds of thousands. Visits are counted in
 * cells whose lengths differ by 1 %, and each percentile is the longest visit of its cell. Bucket, stage and cell form
 * one number; OFFSET 0 keeps PostgreSQL from expecting so many numbers that it would sort them.
 */
async function readLengths(
  db: EntityManager,
  query: FigureQuery,
  measured: (parts: FigureSql) => Measured,
): Promise<Lengths[]> {
  const { from, to, stages, buckets, calendar } = query;
  if (buckets.length === 0) return [];
  return readFigureRows<Lengths>(db, query, (parts) => {
    const { bindings, instantOf: sqlOf } = parts;
    const { since, stage, condition } = measured(parts);
    const seconds = calendar
      ? workingSeconds(calendar, firstInstantOf(query, to).getTime(), bindings)(since, 'v.left_at')
      : `date_part('epoch', v.left_at - ${since})`;
    const visits = parts.visits(
      `v.stage_id = ANY(${bindings.bind(stages.open)}) AND v.left_at >= ${sqlOf(from)} AND v.left_at < ${sqlOf(to)} AND ${condition}`,
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

/** The series of each group, which have the first name after that of their group, or the second without groups. */
function seriesOf(
  query: FigureQuery,
  lengths: readonly Lengths[],
  [inGroup, alone]: readonly [string, string],
): Series[] {
  if (lengths.length === 0) return [];
  return byGroup(query, lengths).map(({ name, rows }) => ({
    name: name === undefined ? alone : [name, inGroup].filter(Boolean).join(': '),
    points: rows.map((row): Point => [
      query.buckets[row.bucket - 1] ?? '',
      ...row.lengths.map(Math.round),
      row.n,
    ]),
  }));
}
