import { type EntityManager } from 'typeorm';
import { type Comparable } from '../../../workflows/fields/condition.js';
import { type FigureQuery, type Metric, type Point } from '../figure.js';
import { type FigureSql, readFigureRows, seriesName } from '../figures.repository.js';

const columns = ['from', 'p50_seconds', 'p85_seconds', 'p95_seconds', 'tasks'];
const percentiles =
  'p50, p85, p95: the time within which 50, 85 and 95 of 100 of them were done; each is a time that one of them took.';

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
    const { open, ends } = query.stages;
    const found = await readFigureRows<
      Lengths & { readonly again: Percentiles | null; readonly reopened: number }
    >(db, query, (parts) => {
      const finished = parts.bindings.bind(ends);
      const seconds = query.measure === 'working' ? '(v.worked_before_ms + v.working_ms) / 1000.0' : "date_part('epoch', v.left_at - v.began_at)"; // prettier-ignore
      return `
        WITH reopened AS MATERIALIZED (
          SELECT r.task_id, min(r.n) AS n FROM stage_visits r
          WHERE r.workspace_id = $1 AND r.workflow_id = $2 AND r.stage_id = ANY(${finished}) AND r.left_at IS NOT NULL
            AND NOT r.stage_to = ANY(${finished})
          GROUP BY 1
        )
        SELECT at, g, ${percentilesOf('true')} AS lengths, count(*)::integer AS n,
          ${percentilesOf('is_again')} AS again, (count(*) FILTER (WHERE is_again))::integer AS reopened
        FROM (
          SELECT ${parts.bucketOf('v.left_at')} AS at, v.g, (${seconds})::float8 AS seconds, o.task_id IS NOT NULL AS is_again
          FROM (
            SELECT v.*, ${parts.g} AS g FROM ${parts.visits(`v.stage_id = ANY(${parts.bindings.bind(open)}) AND ${isWithin(query, parts)}
              AND v.stage_to = ANY(${finished})`)}
          ) v LEFT JOIN reopened o ON o.task_id = v.task_id AND o.n < v.n
        ) v GROUP BY 1, 2 ORDER BY 1`;
    });
    const again = found.flatMap(({ again, reopened, ...row }) => again && reopened > 0 ? { ...row, lengths: again, n: reopened } : []); // prettier-ignore
    return [
      ...seriesOf(found, (g) => seriesName(query, g, query.group ? undefined : 'Finished')),
      ...seriesOf(again, (g) => seriesName(query, g, 'Reopened')),
    ];
  },
};

/** How long tasks stayed in each stage. */
export const timeInStage: Metric = {
  name: 'time_in_stage',
  summary: 'How long tasks stay in each stage',
  columns,
  interval: 'week',
  period: [-84, 1],
  definition: (query) =>
    `Stays in each stage that ended in each ${query.interval}: ${timeOf(query)} from entering the stage until leaving it for another one. End stages are left out. ${percentiles}`,
  async read(db, query) {
    const stays = await staysIn(db, query, query.interval);
    return query.stages.open.flatMap(
      (stage) =>
      seriesOf(stays.filter((row) => row.stage === stage), (g) => seriesName(query, g, query.stages.nameOf(stage))), // prettier-ignore
    );
  },
};

/** The lengths of stays that ended in the period, by stage; in buckets, or all together. */
export function staysIn(db: EntityManager, query: FigureQuery, interval?: 'day' | 'week'): Promise<Stay[]> {
  return readFigureRows<Stay>(db, query, (parts) => {
    const seconds = query.measure === 'working' ? 'v.working_ms / 1000.0' : "date_part('epoch', v.left_at - v.entered_at)"; // prettier-ignore
    return `
      SELECT ${interval ? parts.bucketOf('v.left_at') : "''"} AS at, v.stage_id AS stage, g, ${percentilesOf('true')} AS lengths, count(*)::integer AS n
      FROM (
        SELECT v.left_at, v.stage_id, ${parts.g} AS g, (${seconds})::float8 AS seconds
        FROM ${parts.visits(`v.stage_id = ANY(${parts.bindings.bind(query.stages.open)}) AND ${isWithin(query, parts)} AND v.stage_to IS NOT NULL`)}
      ) v GROUP BY 1, 2, 3 ORDER BY 1`;
  });
}

type Percentiles = readonly [p50: number, p85: number, p95: number];

/** Percentiles in seconds, of `n` tasks; null if working time was not counted. */
interface Lengths {
  readonly at: string;
  readonly g: Comparable;
  readonly lengths: Percentiles | null;
  readonly n: number;
}

export interface Stay extends Lengths {
  readonly stage: number;
}

const percentilesOf = (filter: string): string =>
  `percentile_disc(ARRAY[0.5, 0.85, 0.95]) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE ${filter})`;

const isWithin = ({ from, to }: FigureQuery, { instantOf }: FigureSql): string =>
  `v.left_at >= ${instantOf(from)} AND v.left_at < ${instantOf(to)}`;

const timeOf = ({ measure }: FigureQuery): string =>
  measure === 'working' ? 'the working time' : 'the elapsed time';

/** A series for each group. */
function seriesOf(rows: readonly Lengths[], nameOf: (g: Comparable) => string) {
  const groups = new Map<string, Point[]>();
  for (const { at, g, lengths, n } of rows) {
    const points = groups.get(nameOf(g)) ?? [];
    groups.set(nameOf(g), points);
    if (lengths) points.push([at, ...lengths.map(Math.round), n]);
  }
  return Array.from(groups, ([name, points]) => ({ name, points }));
}
