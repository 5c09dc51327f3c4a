import { type Metric } from '../figure.js';
import { byGroup, type Grouped, readFigureRows } from '../figures.repository.js';

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
