import { type Comparable } from '../../../workflows/fields/condition.js';
import { bucketOf, bucketsOf } from '../figure-query.js';
import { type FigureQuery, type Metric, type Series } from '../figure.js';
import { readFigureRows, seriesName } from '../figures.repository.js';

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
      const until = parts.bindings.bind(query.to);
      const first = parts.bindings.bind(query.from);
      const dayOf = (day: string): string => `CASE WHEN ${day} >= ${first}::date THEN ${day} END`;
      if (isWhole)
        return `
          SELECT ${dayOf('day')} AS entered, NULL::date AS left, s.stage, NULL::jsonb AS g, sum(s.sign * n)::integer AS n
          FROM flow_days CROSS JOIN LATERAL (VALUES (stage_to, 1), (stage_from, -1)) s (stage, sign)
          WHERE workspace_id = $1 AND workflow_id = $2 AND day < ${until}::date AND s.stage > 0${parts.imports}
          GROUP BY 1, 3`;
      return `
        SELECT ${dayOf('entered')} AS entered, CASE WHEN "left" < ${until}::date THEN "left" END AS left, stage, g,
          count(*)::integer AS n
        FROM (
          SELECT ${parts.dayOf('v.entered_at')} AS entered, ${parts.dayOf('v.left_at')} AS left, v.stage_id AS stage, ${parts.g} AS g
          FROM ${parts.visits(`v.stage_id = ANY(${parts.bindings.bind([...query.stages.open, ...query.stages.ends])})
            AND (v.left_at IS NULL OR v.left_at >= ${parts.instantOf(query.from)}) AND v.entered_at < ${parts.instantOf(query.to)}`)}
        ) v GROUP BY 1, 2, 3, 4`;
    });
    return bandsOf(query, found);
  },
};

/**
 * The number of tasks that entered a stage on a day, or before the period, and left it on a day of the period, or did
 * not.
 */
interface Passed {
  readonly entered: string | null;
  readonly left: string | null;
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
  for (const { entered, left, stage, g, n } of found) {
    if (group && stages.ends.includes(stage)) continue;
    const name = group ? seriesName(query, g) : stages.nameOf(stage);
    const key = group ? name : String(stage);
    const band = bands.get(key) ?? { name, stage, before: 0, changes: new Map<string, number>() };
    bands.set(key, band);
    if (entered === null) band.before += n;
    else add(band.changes, bucketOf(query, entered), n);
    if (left !== null) add(band.changes, bucketOf(query, left), -n);
  }
  const sorted = [...bands.values()].toSorted((one, other) =>
    group ? one.name.localeCompare(other.name) : stages.order(one.stage, other.stage),
  );
  return sorted
    .map(({ name, before, changes }) => {
      let n = before;
      return { name, points: bucketsOf(query).map((day) => [day, (n += changes.get(day) ?? 0)] as const) };
    })
    .filter(({ points }) => points.some(([, n]) => n > 0));
}

const add = (sums: Map<string, number>, key: string, n: number): void => {
  sums.set(key, (sums.get(key) ?? 0) + n);
};
