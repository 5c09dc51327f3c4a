import { type Comparable } from '../../../workflows/fields/condition.js';
import { bucketOf, bucketsOf } from '../figure-query.js';
import { type FigureQuery, type Metric } from '../figure.js';
import { byGroup, type FigureSql, readFigureRows, seriesName } from '../figures.repository.js';

const names = ['In', 'Out', 'Reopened'] as const;

export const throughput: Metric = {
  name: 'throughput',
  summary: 'How many tasks come in and go out',
  columns: ['from', 'tasks'],
  interval: 'week',
  period: [-84, 1],
  definition: ({ interval }) =>
    `In: tasks created in each ${interval} in a stage that is not an end stage. Out: tasks that came from there into an end stage. Reopened: tasks that left an end stage again; each counts as out once more when it is finished again.`,
  async read(db, query) {
    const isWhole = query.conditions.length === 0 && !query.group;
    const found = await readFigureRows<Passages>(db, query, (parts) => {
      const { bindings, imports } = parts;
      if (isWhole)
        return `
          SELECT day, stage_from, stage_to, NULL::jsonb AS g, sum(n)::integer AS n FROM flow_days
          WHERE workspace_id = $1 AND workflow_id = $2
            AND day >= ${bindings.bind(query.from)}::date AND day < ${bindings.bind(query.to)}::date${imports}
          GROUP BY 1, 2, 3`;
      return passagesOf(query, parts);
    });
    return byGroup(query, found).flatMap(({ g, rows }) =>
      names.map((name) => ({ name: seriesName(query, g, name), points: pointsOf(query, rows, name) })),
    );
  },
};

/** SQL: creations in open stages, and moves between open and end stages. */
function passagesOf(
  { stages, from, to }: FigureQuery,
  { bindings, visits, bucketOf: firstDayOf, instantOf, g }: FigureSql,
): string {
  const [open, ends] = [stages.open, stages.ends].map((ids) => `${bindings.bind(ids)}::integer[]`);
  const [begin, end] = [instantOf(from), instantOf(to)];
  const came = `v.n = 1 AND v.stage_id = ANY(${open}) AND v.entered_at >= ${begin} AND v.entered_at < ${end}`;
  const went = `v.left_at < ${end} AND (v.stage_id = ANY(${ends})) <> (v.stage_to = ANY(${ends}))`;
  return `
    SELECT ${firstDayOf('p.at')} AS day, p.stage_from, p.stage_to, ${g} AS g, count(*)::integer AS n
    FROM ${visits(
      `v.stage_id = ANY(${open} || ${ends}) AND v.left_at >= ${begin} AND (${came} OR ${went})`,
      `v.left_at IS NULL AND ${came}`,
    )} CROSS JOIN LATERAL (
      SELECT v.entered_at AS at, 0 AS stage_from, v.stage_id AS stage_to WHERE ${came}
      UNION ALL SELECT v.left_at, v.stage_id, v.stage_to WHERE ${went}
    ) p GROUP BY 1, 2, 3, 4`;
}

interface Passages {
  readonly day: string;
  /** 0 for tasks that were created. */
  readonly stage_from: number;
  /** 0 for tasks that were deleted. */
  readonly stage_to: number;
  readonly g: Comparable;
  readonly n: number;
}

function pointsOf(
  query: FigureQuery,
  found: readonly Passages[],
  name: (typeof names)[number],
): (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const passage of found) {
    if (kindOf(query, passage) !== name) continue;
    const bucket = bucketOf(query, passage.day);
    sums.set(bucket, (sums.get(bucket) ?? 0) + passage.n);
  }
  return bucketsOf(query).map((bucket) => [bucket, sums.get(bucket) ?? 0] as const);
}

function kindOf(
  { stages: { ends } }: FigureQuery,
  { stage_from, stage_to }: Passages,
): (typeof names)[number] | undefined {
  const isFinished = ends.includes(stage_to);
  if (stage_from === 0) return isFinished ? undefined : 'In';
  if (stage_to === 0 || isFinished === ends.includes(stage_from)) return undefined;
  return isFinished ? 'Out' : 'Reopened';
}
