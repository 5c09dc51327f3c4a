import { type EntityManager } from 'typeorm';
import { type Comparable } from '../../../workflows/fields/condition.js';
import { beginningOfDay, zoneOf } from '../../../workflows/time/zone.js';
import { bucketsOf, numberOf } from '../figure-query.js';
import { type FigureQuery, type Metric, type Point, type Series } from '../figure.js';
import { calendarOf, workingSeconds } from '../working-time.sql.js';
import { byName, type FigureSql, readFigureRows, seriesName } from '../figures.repository.js';

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
    const [all, again] = [await finished(db, query), await finished(db, query, true)];
    return [
      ...seriesOf(all, (g) => seriesName(query, g, query.group ? undefined : 'Finished')),
      ...seriesOf(again, (g) => seriesName(query, g, 'Reopened')),
    ];
  },
};

/** Visits from which tasks came into an end stage; only of tasks that had been finished before, if `again`. */
function finished(db: EntityManager, query: FigureQuery, again = false): Promise<Lengths[]> {
  return readLengths(db, query, bucketsOf(query), (parts) => {
    const ends = parts.bindings.bind(query.stages.ends);
    return {
      seconds: secondsBetween(query, parts)('v.began_at', 'v.left_at'),
      stage: '0',
      visits: parts.visits(
        `${leftIn(query, parts)} AND v.stage_to = ANY(${ends})${again ? wasFinished(ends) : ''}`,
      ),
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
    const stays = await staysIn(db, query, bucketsOf(query));
    return query.stages.open.flatMap((stage) =>
      seriesOf(
        stays.filter((row) => row.stage === stage),
        (g) => seriesName(query, g, query.stages.nameOf(stage)),
      ),
    );
  },
};

/** The lengths of the stays that ended in the period: for each bucket, or by default for the whole period. */
export function staysIn(
  db: EntityManager,
  query: FigureQuery,
  buckets: readonly string[] = [query.from],
): Promise<Lengths[]> {
  return readLengths(db, query, buckets, (parts) => ({
    seconds: secondsBetween(query, parts)('v.entered_at', 'v.left_at'),
    stage: 'v.stage_id',
    visits: parts.visits(`${leftIn(query, parts)} AND v.stage_to IS NOT NULL`),
  }));
}

function secondsBetween(
  { scope, measure, to }: FigureQuery,
  { bindings }: FigureSql,
): (from: string, to: string) => string {
  const { workflow } = scope;
  const calendar = measure === 'working' ? calendarOf(workflow) : undefined;
  return calendar
    ? workingSeconds(calendar, beginningOfDay(zoneOf(workflow.timezone), numberOf(to)), bindings)
    : (begin, end) => `date_part('epoch', ${end} - ${begin})`;
}

const leftIn = ({ from, to, stages }: FigureQuery, { bindings, instantOf }: FigureSql): string =>
  `v.stage_id = ANY(${bindings.bind(stages.open)}) AND v.left_at >= ${instantOf(from)} AND v.left_at < ${instantOf(to)}`;

interface Measured {
  readonly visits: string;
  readonly seconds: string;
  readonly stage: string;
}

/** Percentiles in seconds of `n` stays, by bucket, stage and group. */
export interface Lengths {
  readonly at: string;
  readonly stage: number;
  readonly g: Comparable;
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
  buckets: readonly string[],
  measured: (parts: FigureSql) => Measured,
): Promise<Lengths[]> {
  if (buckets.length === 0) return [];
  const zone = zoneOf(query.scope.workflow.timezone);
  const bounds = buckets.map((day) => new Date(beginningOfDay(zone, numberOf(day))));
  const rows = await readFigureRows<Lengths & { readonly bucket: number }>(db, query, (parts) => {
    const { visits, seconds, stage } = measured(parts);
    const bucket = `width_bucket(v.left_at, ${parts.bindings.bind(bounds)}::timestamptz[])`;
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
          FROM (SELECT ${bucket} AS bucket, ${stage} AS stage, ${parts.g} AS g, (${seconds})::float8 AS seconds FROM ${visits} OFFSET 0) v
          WHERE seconds IS NOT NULL GROUP BY 1, 2
        ) cells
      ) ranked GROUP BY 1, 2, 3 ORDER BY 1`;
  });
  return rows.map((row) => ({ ...row, at: buckets[row.bucket - 1] ?? '' }));
}

const timeOf = ({ measure }: FigureQuery): string =>
  measure === 'working' ? 'the working time' : 'the elapsed time';

function seriesOf(rows: readonly Lengths[], nameOf: (g: Comparable) => string): Series[] {
  const groups = new Map<string, Point[]>();
  for (const { at, g, lengths, n } of rows) {
    const points = groups.get(nameOf(g)) ?? [];
    groups.set(nameOf(g), [...points, [at, ...lengths.map(Math.round), n]]);
  }
  return Array.from(groups, ([name, points]) => ({ name, points })).toSorted(byName);
}
