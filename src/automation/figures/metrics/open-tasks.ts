import { retreat } from '../../../workflows/time/working-time.js';
import { daysFrom, type FigureQuery, type Metric } from '../figure-query.js';
import { seriesOf } from '../figure-series.js';
import { readFigureRows } from '../figures.repository.js';
import { readLengths } from './durations.js';

// The metrics of the tasks that are open now.

/** How long open tasks have been in their stage, compared with how long tasks usually stay there. */
export const age: Metric = {
  columns: ['stage', 'tasks', 'older', 'oldest_seconds', 'p85_seconds'],
  definition: (query) =>
    `Open tasks by their stage. p85: 85 % of the visits that ended in the period took at most this time, in ${query.calendar ? 'working' : 'elapsed'} time. Longer than usual: tasks that have been in their stage for longer than p85. Imported tasks count among the open tasks.`,
  async read(db, query) {
    const stays = await readLengths(db, { ...query, group: undefined }, 'stays');
    const usual = new Map(stays.map(({ part, figures }) => [part, figures[1] ?? null]));
    const stages = query.scope.workflow.schema.stages.all.filter(({ isEnd }) => !isEnd);
    const lengths = stages.map(({ name }) => usual.get(name) ?? null);
    const bounds = lengths.map((seconds) => boundOf(query, seconds));
    const rows = await readFigureRows(db, query, ({ bindings, tasks, ids, named }) => {
      const since = 'COALESCE(t.stage_at, t.created_at)';
      return `
        SELECT t.g, s.name AS at, json_build_array(count(*), count(*) FILTER (WHERE t.since < b.bound),
          round(date_part('epoch', ${bindings.bind(query.now)}::timestamptz - min(t.since))), b.usual) AS figures
        FROM (${tasks(`, t.stage_id, ${since} AS since`)} AND t.is_active) t JOIN ${named(stages)} ON s.id = t.stage_id
        JOIN unnest(${ids(stages)}, ${bindings.bind(bounds)}::timestamptz[], ${bindings.bind(lengths)}::float8[]) b (id, bound, usual)
          ON b.id = t.stage_id
        GROUP BY t.g, s.name, b.usual`;
    });
    const places = stages.map(({ name }) => name);
    return seriesOf(query, { rows, only: 'Open', places, blank: [0, 0, null, null] });
  },
};

/** Returns the instant `seconds` ago, counted in working time if there is a calendar. */
function boundOf({ now, calendar }: FigureQuery, seconds: number | null): Date | null {
  if (seconds === null) return null;
  const amount = seconds * 1000;
  return new Date(calendar ? retreat(calendar, now.getTime(), { measure: 'working', amount }) : now.getTime() - amount); // prettier-ignore
}

export const clocksDue: Metric = {
  columns: ['due', 'tasks'],
  daysAhead: 14,
  definition: () =>
    'Open tasks by the earliest deadline that they have not met. Overdue: tasks whose deadline has passed, however long ago. Each day: tasks whose deadline falls on that day and has not passed. Paused deadlines are left out. Imported tasks count.',
  async read(db, query) {
    const { scope, now, from, to } = query;
    const rows = await readFigureRows(db, query, ({ bindings, tasks, instantOf }) => {
      const isOverdue = `t.due_at <= ${bindings.bind(now)}::timestamptz`;
      const day = `(t.due_at AT TIME ZONE ${bindings.bind(scope.workflow.timezone)})::date::text`;
      return `
        SELECT t.g, CASE WHEN ${isOverdue} THEN 'overdue' ELSE ${day} END AS at, json_build_array(count(*)) AS figures
        FROM (${tasks(', t.due_at')} AND t.is_active AND (${isOverdue} OR t.due_at < ${instantOf(to)})) t
        GROUP BY 1, 2`;
    });
    return seriesOf(query, { rows, only: 'Due', places: ['overdue', ...daysFrom(from, to)] });
  },
};

export const workload: Metric = {
  columns: ['person', 'tasks', 'overdue'],
  definition: () =>
    'Open tasks by the person to whom they are assigned now. Overdue: those with a deadline that has passed. Imported tasks count.',
  async read(db, query) {
    const rows = await readFigureRows(
      db,
      query,
      ({ bindings, tasks }) => `
        SELECT t.g, COALESCE(u.email, 'Nobody') AS at,
          json_build_array(count(*), count(*) FILTER (WHERE t.due_at <= ${bindings.bind(query.now)}::timestamptz)) AS figures
        FROM (${tasks(', t.assignee_id, t.due_at')} AND t.is_active) t
        LEFT JOIN users u ON u.workspace_id = $1 AND u.id = t.assignee_id
        GROUP BY 1, 2 ORDER BY count(*) DESC, min(u.email)`,
    );
    return seriesOf(query, { rows, only: 'Open' });
  },
};
