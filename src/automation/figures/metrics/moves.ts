import { type EntityManager } from 'typeorm';
import { type FigureQuery, type Metric, type Point } from '../figure.js';
import { byGroup, type FigureSql, type Grouped, isWhole, readFigureRows } from '../figures.repository.js';

/** How many tasks stand in each stage at the end of each day. */
export const flow: Metric = {
  name: 'flow',
  summary: 'How many tasks stand in each stage',
  columns: ['day', 'tasks'],
  interval: 'day',
  period: [-84, 1],
  definition: ({ group, interval }) =>
    group
      ? `Open tasks at the end of each ${interval}, by what “${group.name}” is today.`
      : `Tasks in each stage at the end of each ${interval}. Deleted tasks count until they were deleted.`,
  async read(db, query) {
    const { stages, group } = query;
    const rows = await readMoves(db, query, {
      ofDay: () => 'VALUES (NULLIF(f.stage_to, 0), f.n), (NULLIF(f.stage_from, 0), -f.n)',
      ofVisit({ bindings }, begin, end) {
        const shown = bindings.bind(group ? stages.open : [...stages.open, ...stages.ends]);
        const within = `v.stage_id = ANY(${shown}) AND v.entered_at < ${end}`;
        const stage = group ? '0' : 'v.stage_id';
        return {
          ranges: [`${within} AND v.left_at >= ${begin}`, `${within} AND v.left_at IS NULL`],
          moves: `VALUES (v.entered_at, ${stage}, 1), (v.left_at, ${stage}, -1)`,
        };
      },
    });
    const series = byGroup(query, rows).flatMap(({ name, rows: moves }) =>
      [...new Set(moves.map(({ part }) => Number(part)))].toSorted(stages.order).map((stage) => {
        const counts = countsOf(moves, stage);
        return { name: name ?? stages.nameOf(stage), points: runningTotals(query.buckets, counts) };
      }),
    );
    return series.filter(({ points }) => points.some(([, n]) => Number(n) > 0));
  },
};

/** How many tasks there are at the end of each bucket, from the moves in the buckets and before the first. */
function runningTotals(buckets: readonly string[], counts: ReadonlyMap<number, number>): Point[] {
  let n = counts.get(0) ?? 0;
  return buckets.map((day, at) => {
    n += counts.get(at + 1) ?? 0;
    return [day, n];
  });
}

const kinds = ['In', 'Out', 'Reopened'] as const;

export const throughput: Metric = {
  name: 'throughput',
  summary: 'How many tasks come in and go out',
  columns: ['from', 'tasks'],
  interval: 'week',
  period: [-84, 1],
  definition: ({ interval }) =>
    `In: tasks created in each ${interval} in a stage that is not an end stage. Out: tasks that came from there into an end stage. Reopened: tasks that left an end stage again; each counts as out once more when it is finished again.`,
  async read(db, query) {
    const { stages } = query;
    const rows = await readMoves(db, query, {
      ofDay: ({ bindings }) =>
        `SELECT ${kindOf('f.stage_from', 'f.stage_to', bindings.bind(stages.ends))}, f.n WHERE f.day >= ${bindings.bind(query.from)}::date`,
      ofVisit({ bindings }, begin, end) {
        const [open, ends] = [bindings.bind(stages.open), bindings.bind(stages.ends)];
        const came = `v.n = 1 AND v.stage_id = ANY(${open}) AND v.entered_at >= ${begin} AND v.entered_at < ${end}`;
        const went = kindOf('v.stage_id', 'v.stage_to', ends);
        return {
          ranges: [
            `v.stage_id = ANY(${open}::integer[] || ${ends}::integer[]) AND v.left_at >= ${begin} AND (${came} OR ${went} IS NOT NULL)`,
            `v.left_at IS NULL AND ${came}`,
          ],
          moves: `SELECT v.entered_at, 'In', 1 WHERE ${came} UNION ALL SELECT v.left_at, ${went}, 1 WHERE v.left_at >= ${begin}`,
        };
      },
    });
    return byGroup(query, rows).flatMap(({ name, rows: moves }) =>
      kinds.map((kind) => {
        const counts = countsOf(moves, kind);
        const points = query.buckets.map((day, at): Point => [day, counts.get(at + 1) ?? 0]);
        return { name: name === undefined ? kind : `${name}: ${kind}`, points };
      }),
    );
  },
};

/** SQL: what a move between these stages is, if it counts; 0 is before the first stage, or gone. */
const kindOf = (from: string, to: string, ends: string): string => `
  CASE WHEN ${from} = 0 THEN CASE WHEN ${to} <> ALL(${ends}) THEN 'In' END
    WHEN ${from} <> ALL(${ends}) THEN CASE WHEN ${to} = ANY(${ends}) THEN 'Out' END
    WHEN ${to} <> 0 AND ${to} <> ALL(${ends}) THEN 'Reopened' END`;

/** How many tasks moved in a bucket; in bucket 0, before the first. */
interface Move extends Grouped {
  readonly bucket: number;
  readonly part: string | number;
  readonly n: number;
}

interface Moves {
  /** SQL: the parts and numbers of a day `f` of the sums of days, which suffice if all tasks count. */
  readonly ofDay: (parts: FigureSql) => string;
  /** SQL: ranges of visits `v`, and the moves of each: their instants, parts and numbers. */
  readonly ofVisit: (parts: FigureSql, begin: string, end: string) => MovesOfVisits;
}

interface MovesOfVisits {
  readonly ranges: readonly string[];
  readonly moves: string;
}

function readMoves(db: EntityManager, query: FigureQuery, { ofDay, ofVisit }: Moves): Promise<Move[]> {
  const { from, to, buckets } = query;
  return readFigureRows<Move>(db, query, (parts) => {
    const sums = (moves: string): string => `
      SELECT bucket, part, g, sum(n)::integer AS n FROM (${moves}) m WHERE part IS NOT NULL GROUP BY 1, 2, 3`;
    if (isWhole(query))
      return sums(`
        SELECT width_bucket(f.day, ${parts.bindings.bind(buckets)}::date[]) AS bucket, m.part, NULL::jsonb AS g, m.n
        FROM flow_days f CROSS JOIN LATERAL (${ofDay(parts)}) m (part, n)
        WHERE f.workspace_id = $1 AND f.workflow_id = $2 AND f.day < ${parts.bindings.bind(to)}::date${parts.imports}`);
    const end = parts.instantOf(to);
    const { ranges, moves } = ofVisit(parts, parts.instantOf(from), end);
    return sums(`
      SELECT ${parts.bucketOf('m.at')} AS bucket, m.part, ${parts.g} AS g, m.n
      FROM ${parts.visits(...ranges)} CROSS JOIN LATERAL (${moves}) m (at, part, n) WHERE m.at < ${end}`);
  });
}

const countsOf = (moves: readonly Move[], of: Move['part']): ReadonlyMap<number, number> =>
  new Map(moves.filter(({ part }) => part === of).map(({ bucket, n }) => [bucket, n]));
