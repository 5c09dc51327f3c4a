import { dayText } from '../../../workflows/time/zone.js';
import { type Comparable } from '../../../workflows/fields/condition.js';
import { daysBetween, numberOf } from '../figure-query.js';
import { type Metric } from '../figure.js';
import { byGroup, readFigureRows, seriesName } from '../figures.repository.js';

export const clocksDue: Metric = {
  name: 'clocks',
  summary: 'How many open tasks are overdue, and fall due on each day',
  columns: ['due', 'tasks'],
  period: [0, 14],
  definition: () =>
    'Open tasks by the first of their deadlines that has not been met. Overdue: it has passed, however long ago. Then, how many fall due on each day from now on; a paused deadline falls on no day. Imported tasks count.',
  async read(db, query) {
    const found = await readFigureRows<Due>(db, query, ({ bindings, tasks, dayOf, instantOf }) => {
      const now = bindings.bind(query.now);
      return `
        SELECT CASE WHEN t.due_at <= ${now}::timestamptz THEN 'overdue' ELSE ${dayOf('t.due_at')}::text END AS due, t.g,
          count(*)::integer AS n
        FROM (${tasks(', t.due_at')} AND t.is_active AND (t.due_at <= ${now}::timestamptz OR t.due_at < ${instantOf(query.to)})) t
        GROUP BY 1, 2`;
    });
    const days = Array.from({ length: daysBetween(query.from, query.to) }, (_, at) => dayText(numberOf(query.from) + at)); // prettier-ignore
    return byGroup(query, found).map(({ g, rows }) => ({
      name: seriesName(query, g, query.group ? undefined : 'Due'),
      points: ['overdue', ...days].map((day) => [day, rows.find(({ due }) => due === day)?.n ?? 0] as const),
    }));
  },
};

interface Due {
  readonly due: string;
  readonly g: Comparable;
  readonly n: number;
}
