import { retreat } from '../../../workflows/time/working-time.js';
import { daysFrom } from '../figure-query.js';
import { type FigureQuery, type Metric } from '../figure.js';
import { byGroup, type Grouped, readFigureRows } from '../figures.repository.js';
import { staysIn } from './durations.js';

// The figures of the tasks that are open now.

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

export const clocksDue: Metric = {
  name: 'clocks',
  summary: 'How many open tasks are overdue, and fall due on each day',
  columns: ['due', 'tasks'],
  period: [0, 14],
  definition: () =>
    'Open tasks by the first of their deadlines that has not been met. Overdue: it has passed, however long ago. Then, how many fall due on each day from now on; a paused deadline falls on no day. Imported tasks count.',
  async read(db, query) {
    const { scope, now, from, to } = query;
    const found = await readFigureRows<Due>(db, query, ({ bindings, tasks, instantOf }) => {
      const isOverdue = `t.due_at <= ${bindings.bind(now)}::timestamptz`;
      const day = `(t.due_at AT TIME ZONE ${bindings.bind(scope.workflow.timezone)})::date::text`;
      return `
        SELECT CASE WHEN ${isOverdue} THEN 'overdue' ELSE ${day} END AS due, t.g, count(*)::integer AS n
        FROM (${tasks(', t.due_at')} AND t.is_active AND (${isOverdue} OR t.due_at < ${instantOf(to)})) t
        GROUP BY 1, 2`;
    });
    return byGroup(query, found).map(({ name = 'Due', rows }) => {
      const counts = new Map(rows.map(({ due, n }) => [due, n]));
      return { name, points: ['overdue', ...daysFrom(from, to)].map((due) => [due, counts.get(due) ?? 0]) };
    });
  },
};

interface Due extends Grouped {
  readonly due: string;
  readonly n: number;
}

export const workload: Metric = {
  name: 'workload',
  summary: 'Who has how many open tasks',
  columns: ['person', 'tasks', 'overdue'],
  period: [-84, 1],
  definition: () =>
    'Open tasks by the person to whom they are assigned now. Overdue: those of which a deadline has passed. Imported tasks count.',
  async read(db, query) {
    const found = await readFigureRows<Load>(
      db,
      query,
      ({ bindings, tasks }) => `
        SELECT t.assignee_id AS who, t.g, count(*)::integer AS n,
          count(*) FILTER (WHERE t.due_at <= ${bindings.bind(query.now)}::timestamptz)::integer AS overdue
        FROM (${tasks(', t.assignee_id, t.due_at')} AND t.is_active) t GROUP BY 1, 2 ORDER BY 3 DESC, 1`,
    );
    const { users } = query.scope.workflow.schema;
    return byGroup(query, found).map(({ name = 'Open', rows }) => ({
      name,
      points: rows
        .slice(0, MAX_PEOPLE)
        .map(({ who, n, overdue }) => [who === null ? 'Nobody' : (users.get(who)?.email ?? '(unknown)'), n, overdue] as const), // prettier-ignore
    }));
  },
};

const MAX_PEOPLE = 400;

interface Load extends Grouped {
  readonly who: string | null;
  readonly n: number;
  readonly overdue: number;
}
