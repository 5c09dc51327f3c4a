import { type EntityManager } from 'typeorm';
import { seriesOf } from '../figure-series.js';
import { type Point, type Series } from '../figure.dto.js';
import { type FigureQuery, type FigureStage, type Metric } from '../figure-query.js';
import { type FigureSql, readFigureRows } from '../figures.repository.js';

// The metrics that count moves between stages.

/** Counts the tasks in each stage when a bucket ends. With a group, counts the open tasks of each group. */
export const flow: Metric = {
  columns: ['day', 'tasks'],
  interval: 'day',
  definition: ({ group, interval }) =>
    group
      ? `Open tasks at the end of each ${interval}, by the present value of “${group.name}”.`
      : `Tasks in each stage at the end of each ${interval}. A deleted task counts until its deletion.`,
  read: (db, query) => readFlow(db, query, query.group ? query.open : query.stages),
};

/** Like `flow`, without end stages. */
export const openFlow: Metric = {
  ...flow,
  definition: (query) =>
    `${flow.definition(query)} The first number is the count at the beginning of the period. End stages are left out.`,
  read: (db, query) => readFlow(db, query, query.open),
};

async function readFlow(
  db: EntityManager,
  query: FigureQuery,
  shown: readonly FigureStage[],
): Promise<Series[]> {
  const { group, buckets } = query;
  const rows = await readFigureRows(
    db,
    query,
    (parts) => `
      SELECT g, ${group ? "''" : 's.name'} AS part, ${parts.dayOf('bucket')} AS at, json_build_array(sum(c.n)) AS figures
      FROM ${movesOf(parts, shown)} CROSS JOIN LATERAL (VALUES (stage_to, n), (stage_from, -n)) c (stage, n)
      JOIN ${parts.named(shown)} ON s.id = c.stage GROUP BY 1, 2, 3`,
  );
  const names = group ? [''] : shown.map(({ name }) => name);
  const changes = seriesOf(query, { rows, only: 'Open', parts: names, places: ['', ...buckets] });
  return changes.map(runningTotals).filter(({ points }) => points.some(([, n]) => Number(n) > 0));
}

/** Adds up changes. The first point has the changes before the period, and is left out of the result. */
function runningTotals({ name, points }: Series): Series {
  let n = 0;
  const totals = points.map(([at, change]): Point => [at, (n += Number(change))]);
  return { name, points: totals.slice(1) };
}

export const throughput: Metric = {
  columns: ['from', 'tasks'],
  interval: 'week',
  definition: ({ interval }) =>
    `In: tasks created in each ${interval} in an open stage, that is, not in an end stage. Out: tasks that moved from an open stage into an end stage. Reopened: tasks that moved from an end stage into an open stage. A reopened task counts as Out again when it is finished again.`,
  async read(db, query) {
    const rows = await readFigureRows(db, query, (parts) => {
      const [open, ends] = [parts.ids(query.open), parts.ids(query.ends)];
      const which = `(v.n = 1 OR v.stage_id = ANY(${ends}) OR v.stage_to = ANY(${ends}))`;
      return `
        SELECT g, part, ${parts.dayOf('bucket')} AS at, json_build_array(sum(n)) AS figures
        FROM (
          SELECT *, CASE WHEN stage_from = 0 AND stage_to = ANY(${open}) THEN 'In'
            WHEN stage_from = ANY(${open}) AND stage_to = ANY(${ends}) THEN 'Out'
            WHEN stage_from = ANY(${ends}) AND stage_to = ANY(${open}) THEN 'Reopened' END AS part
          FROM ${movesOf(parts, query.open, which)} WHERE bucket > 0
        ) m WHERE part IS NOT NULL GROUP BY 1, 2, 3`;
    });
    return seriesOf(query, { rows, only: '', parts: ['In', 'Out', 'Reopened'], places: query.buckets });
  },
};

/**
 * SQL: counts the moves `m` between stages by group and bucket. Bucket 0 has the moves before the period.
 * `stage_from` is 0 for a creation, and `stage_to` is 0 for a deletion. If the query has neither conditions
 * nor a group, reads the moves of each day from `flow_days`. Otherwise, reads the visits `v` that meet
 * `which`. A visit that has not ended is read only if its stage is in `standing`.
 */
function movesOf(parts: FigureSql, standing: readonly FigureStage[], which = 'true'): string {
  const moves = parts.isWhole ? movesOfDays(parts) : movesOfVisits(parts, standing, which);
  return `(SELECT g, bucket, stage_from, stage_to, sum(n) AS n FROM (${moves}) m GROUP BY 1, 2, 3, 4) m`;
}

const movesOfDays = ({ from, to, buckets, bindings, imports }: FigureSql): string => `
  SELECT NULL::jsonb AS g, stage_from, stage_to, n,
    CASE WHEN day >= ${bindings.bind(from)}::date THEN width_bucket(day, ${bindings.bind(buckets)}::date[]) ELSE 0 END AS bucket
  FROM flow_days WHERE workspace_id = $1 AND workflow_id = $2 AND day < ${bindings.bind(to)}::date${imports}`;

/**
 * SQL: computes the moves from the visits. The end of a visit is a move. The beginning of a task's first
 * visit is its creation. If a visit began before the period, bucket 0 counts the beginning as a creation.
 */
function movesOfVisits(
  { from, to, stages, g, ids, bucketOf, instantOf, visits }: FigureSql,
  standing: readonly FigureStage[],
  which: string,
): string {
  const [begin, end] = [instantOf(from), instantOf(to)];
  const before = `v.entered_at < ${end} AND ${which}`;
  const counted = visits(
    `v.stage_id = ANY(${ids(stages)}) AND v.left_at >= ${begin} AND ${before}`,
    `v.stage_id = ANY(${ids(standing)}) AND v.left_at IS NULL AND ${before}`,
  );
  return `
    SELECT ${g} AS g, m.stage_from, m.stage_to, 1 AS n, CASE WHEN m.at >= ${begin} THEN ${bucketOf('m.at')} ELSE 0 END AS bucket
    FROM ${counted} CROSS JOIN LATERAL (
      SELECT v.entered_at AS at, 0 AS stage_from, v.stage_id AS stage_to WHERE v.n = 1 OR v.entered_at < ${begin}
      UNION ALL SELECT v.left_at, v.stage_id, COALESCE(v.stage_to, 0) WHERE v.left_at < ${end}
    ) m`;
}
