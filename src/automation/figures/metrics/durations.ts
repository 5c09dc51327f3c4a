import { type EntityManager } from 'typeorm';
import { type Bindings } from '../../../tasks/store/where.sql.js';
import { type Calendar, openTimes } from '../../../workflows/time/calendar.js';
import { DAY } from '../../../workflows/time/zone.js';
import { type FigureQuery, firstInstantOf, type Metric } from '../figure-query.js';
import { type FigureRow, seriesOf } from '../figure-series.js';
import { type FigureSql, readFigureRows } from '../figures.repository.js';
import { cellOf } from '../visits.repository.js';

const usual = {
  columns: ['from', 'p50_seconds', 'p85_seconds', 'p95_seconds', 'tasks'],
  interval: 'week',
} as const;
const percentiles =
  '50 % took at most p50, 85 % at most p85, and 95 % at most p95. Each of these times is at most 1 % above the exact time.';

/** How long tasks took from their creation until they were finished. */
export const cycleTime: Metric = {
  ...usual,
  definition: (query) =>
    `Tasks that moved from an open stage into an end stage in each ${query.interval}: ${timeOf(query)} from the creation of the task until the move. A reopened task counts each time that it is finished. ${percentiles}`,
  read: async (db, query) =>
    seriesOf(query, { rows: await readLengths(db, query, 'tasks'), only: 'Finished' }),
};

export const timeInStage: Metric = {
  ...usual,
  definition: (query) =>
    `For each stage, the visits that ended in each ${query.interval}: ${timeOf(query)} from entering the stage until leaving it for another stage. End stages are left out. ${percentiles}`,
  async read(db, query) {
    const rows = await readLengths(db, query, 'stays');
    return seriesOf(query, { rows, only: '', parts: query.stages.map(({ name }) => name) });
  },
};

/**
 * Reads percentiles of durations for each bucket: of `stays` in each stage, or of finished `tasks`. Sorting
 * hundreds of thousands of durations would be slow. Therefore, SQL counts them in cells. A cell is a range of
 * durations whose end is about 1 % above its start. The longest duration in a percentile's cell stands for
 * the percentile.
 */
export async function readLengths(
  db: EntityManager,
  query: FigureQuery,
  of: 'tasks' | 'stays',
): Promise<FigureRow[]> {
  if (query.buckets.length === 0) return [];
  return readFigureRows(db, query, (sql) => {
    const cells = sql.isWhole && !sql.calendar ? cellsOfDays(sql, of) : cellsOfVisits(sql, of);
    const share = (part: number): string => `round(min(longest) FILTER (WHERE upto >= ${part} * total))`;
    return `
      SELECT g, s.name AS part, ${sql.dayOf('bucket')} AS at,
        json_build_array(${share(0.5)}, ${share(0.85)}, ${share(0.95)}, max(total)) AS figures
      FROM (
        SELECT *, sum(n) OVER (PARTITION BY bucket, stage, g ORDER BY cell) AS upto,
          sum(n) OVER (PARTITION BY bucket, stage, g) AS total
        FROM (${cells}) cells
      ) ranked LEFT JOIN ${sql.named(sql.open)} ON s.id = stage GROUP BY 1, 2, bucket ORDER BY bucket`;
  });
}

/** SQL: sums up the cells of `length_days`, which counts all tasks by elapsed time. */
function cellsOfDays(sql: FigureSql, of: 'tasks' | 'stays'): string {
  const { from, to, buckets, open, ends, bindings, ids, imports } = sql;
  const bucket = `width_bucket(day, ${bindings.bind(buckets)}::date[])`;
  const [stage, condition] =
    of === 'stays' ? ['stage_id', 'stage_to = 0'] : ['0', `stage_to = ANY(${ids(ends)})`];
  return `
    SELECT ${bucket} AS bucket, ${stage} AS stage, cell, NULL::jsonb AS g, sum(n) AS n, max(longest) AS longest
    FROM length_days
    WHERE workspace_id = $1 AND workflow_id = $2 AND stage_id = ANY(${ids(open)}) AND ${condition}
      AND day >= ${bindings.bind(from)}::date AND day < ${bindings.bind(to)}::date${imports}
    GROUP BY 1, 2, 3`;
}

/** SQL: counts the visits to open stages in each cell. OFFSET 0 avoids a slow sort. */
function cellsOfVisits(sql: FigureSql, of: 'tasks' | 'stays'): string {
  const { from, to, open, ends, calendar, bindings, bucketOf, g, ids, instantOf, visits } = sql;
  const [since, stage, condition] =
    of === 'stays'
      ? ['v.entered_at', 'v.stage_id', 'v.stage_to IS NOT NULL']
      : ['v.began_at', '0', `v.stage_to = ANY(${ids(ends)})`];
  const seconds = calendar
    ? workingSeconds(calendar, firstInstantOf(sql, to).getTime(), bindings)(since, 'v.left_at')
    : `date_part('epoch', v.left_at - ${since})`;
  const ended = `v.left_at >= ${instantOf(from)} AND v.left_at < ${instantOf(to)}`;
  return `
    SELECT bucket, stage, ${cellOf('seconds')} AS cell, g, count(*) AS n, max(seconds) AS longest
    FROM (
      SELECT ${bucketOf('v.left_at')} AS bucket, ${stage} AS stage, ${g} AS g, (${seconds})::float8 AS seconds
      FROM ${visits(`v.stage_id = ANY(${ids(open)}) AND ${ended} AND ${condition}`)} OFFSET 0
    ) v
    WHERE seconds IS NOT NULL GROUP BY 1, 2, 3, 4`;
}

const timeOf = ({ calendar }: FigureQuery): string => (calendar ? 'the working time' : 'the elapsed time');

/** Working time that is more than ten years before the end of the period is not counted. */
const HORIZON = 3653 * DAY;

/**
 * Returns a function that writes SQL for the working seconds between two instants, which must not be after
 * `end`. The result is the working seconds until `to` minus the working seconds until `from`. `sums` has the
 * working seconds before each opening and closing. For an instant within opening hours, the SQL adds the time
 * since the opening.
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
