import { type Comparable } from '../../../workflows/fields/condition.js';
import { bucketOf, bucketsOf } from '../figure-query.js';
import { type FigureQuery, type Metric, type Series } from '../figure.js';
import { byName, type FigureSql, readFigureRows, seriesName } from '../figures.repository.js';

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
    const isWhole = query.conditions.length === 0 && !query.group;
    const found = await readFigureRows<Passed>(db, query, (parts) => {
      const dayIn = (day: string): string => `${parts.bindings.bind(day)}::date`;
      const changes = isWhole
        ? `SELECT CASE WHEN day >= ${dayIn(query.from)} THEN day END AS day, s.stage, NULL::jsonb AS g, s.sign * n AS n
          FROM flow_days CROSS JOIN LATERAL (VALUES (stage_to, 1), (stage_from, -1)) s (stage, sign)
          WHERE workspace_id = $1 AND workflow_id = $2 AND s.stage > 0 AND day < ${dayIn(query.to)}${parts.imports}`
        : changesOf(query, parts);
      return `SELECT day, stage, g, sum(n)::integer AS n FROM (${changes}) c GROUP BY 1, 2, 3`;
    });
    return bandsOf(query, found);
  },
};

/** SQL: the tasks that came into stages and left them. */
function changesOf({ stages, group, from, to }: FigureQuery, parts: FigureSql): string {
  const [begin, end] = [parts.instantOf(from), parts.instantOf(to)];
  const shown = parts.bindings.bind(group ? stages.open : [...stages.open, ...stages.ends]);
  const within = `v.stage_id = ANY(${shown}) AND v.entered_at < ${end}`;
  return `
    SELECT ${parts.bucketOf('c.at')} AS day, v.stage_id AS stage, ${parts.g} AS g, c.sign AS n
    FROM ${parts.visits(`${within} AND v.left_at >= ${begin}`, `${within} AND v.left_at IS NULL`)}
    CROSS JOIN LATERAL (VALUES (v.entered_at, 1), (v.left_at, -1)) c (at, sign) WHERE c.at < ${end}`;
}

/** How many more tasks are in a stage since a day of the period; since before it, if the day is null. */
interface Passed {
  readonly day: string | null;
  readonly stage: number;
  readonly g: Comparable;
  readonly n: number;
}

/** The changes of a series in each bucket, and the number of its tasks before the first bucket. */
interface Band {
  readonly name: string;
  readonly stage: number;
  before: number;
  readonly changes: Map<string, number>;
}

function bandsOf(query: FigureQuery, found: readonly Passed[]): Series[] {
  const { stages, group } = query;
  const bands = new Map<string, Band>();
  for (const { day, stage, g, n } of found) {
    const name = group ? seriesName(query, g) : stages.nameOf(stage);
    const key = group ? name : String(stage);
    const band = bands.get(key) ?? { name, stage, before: 0, changes: new Map<string, number>() };
    bands.set(key, band);
    if (day === null) band.before += n;
    else band.changes.set(bucketOf(query, day), (band.changes.get(bucketOf(query, day)) ?? 0) + n);
  }
  const sorted = [...bands.values()].toSorted((one, other) =>
    group ? byName(one, other) : stages.order(one.stage, other.stage),
  );
  return sorted
    .map(({ name, before, changes }) => {
      let n = before;
      return { name, points: bucketsOf(query).map((day) => [day, (n += changes.get(day) ?? 0)] as const) };
    })
    .filter(({ points }) => points.some(([, n]) => n > 0));
}
