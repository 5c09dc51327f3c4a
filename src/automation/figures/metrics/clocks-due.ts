import { daysFrom } from '../figure-query.js';
import { type Metric } from '../figure.js';
import { byGroup, type Grouped, readFigureRows } from '../figures.repository.js';

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
