import { retreat } from '../../../workflows/time/working-time.js';
import { type FigureQuery, type Metric } from '../figure.js';
import { byGroup, type Grouped, readFigureRows } from '../figures.repository.js';
import { staysIn } from './durations.js';

/** How long open tasks have been in their stage, compared with how long tasks usually stay there. */
export const age: Metric = {
  name: 'age',
  summary: 'How long open tasks have been in their stage',
  columns: ['stage', 'tasks', 'older', 'oldest_seconds', 'p85_seconds'],
  period: [-84, 1],
  definition: (query) =>
    `Open tasks by their stage. Older: those that have been there for longer than 85 of 100 stays that ended in the period (p85), in ${query.calendar ? 'working' : 'elapsed'} time. Imported tasks count among the open ones.`,
  async read(db, query) {
    const stays = await staysIn(db, { ...query, group: undefined });
    const usual = new Map(stays.map(({ stage, lengths }) => [stage, lengths[1]]));
    const stages = query.scope.workflow.schema.stages.all.filter(({ isEnd }) => !isEnd);
    const bounds = stages.map(({ id }) => boundOf(query, usual.get(id) ?? null));
    const found = await readFigureRows<OpenInStage>(db, query, ({ bindings, tasks }) => {
      const since = 'COALESCE(t.stage_at, t.created_at)';
      return `
        SELECT b.stage, t.g, count(*)::integer AS n, count(*) FILTER (WHERE t.since < b.bound)::integer AS older,
          round(date_part('epoch', ${bindings.bind(query.now)}::timestamptz - min(t.since))) AS oldest
        FROM (${tasks(`, t.stage_id, ${since} AS since`)} AND t.is_active) t
        JOIN unnest(${bindings.bind(stages.map(({ id }) => id))}::integer[], ${bindings.bind(bounds)}::timestamptz[]) b (stage, bound)
          ON b.stage = t.stage_id
        GROUP BY 1, 2`;
    });
    return byGroup(query, found).map(({ name: group = 'Open', rows }) => ({
      name: group,
      points: stages.map(({ id, name }) => {
        const row = rows.find(({ stage }) => stage === id);
        return [name, row?.n ?? 0, row?.older ?? 0, row?.oldest ?? null, rounded(usual.get(id))] as const;
      }),
    }));
  },
};

const rounded = (seconds: number | null | undefined): number | null =>
  seconds == null ? null : Math.round(seconds);

interface OpenInStage extends Grouped {
  readonly stage: number;
  readonly n: number;
  readonly older: number;
  /** In seconds of elapsed time. */
  readonly oldest: number;
}

/** A task that entered a stage before this instant has been there for longer than this number of seconds. */
function boundOf({ now, calendar }: FigureQuery, seconds: number | null): Date | null {
  if (seconds === null) return null;
  const amount = seconds * 1000;
  return new Date(calendar ? retreat(calendar, now.getTime(), { measure: 'working', amount }) : now.getTime() - amount); // prettier-ignore
}
