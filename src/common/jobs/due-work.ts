import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type DueWork } from '../ops/job-kind.js';

/** For each name of work that waits: in how many milliseconds its first row is due; 0 or less if it is due. */
export type FirstDue = ReadonlyMap<string, number>;

/** One statement that finds what is due, of all this work. */
export function findingDue(all: readonly DueWork[]) {
  const rows = all.map(({ name, next }) => `SELECT '${name}' AS name, ${next} AS at`);
  const statement = {
    name: 'due-work',
    scope: 'all workspaces' as const,
    text: `
    WITH work AS MATERIALIZED (
      ${rows.join('\n      UNION ALL ')}
    )
    SELECT w.name, (EXTRACT(epoch FROM w.at - service_now()) * 1000)::float8 AS "inMs", told.told
    FROM work w CROSS JOIN (
      SELECT CASE WHEN $1::text IS NOT NULL THEN pg_notify('wts_jobs',
        $1::text || CASE WHEN EXISTS (SELECT FROM work WHERE at <= service_now()) THEN ' due' ELSE ' idle' END)::text END AS told
    ) told`,
  };
  /** Tells the other processes of its answer, if `teller` names this one. */
  return async (db: EntityManager, teller?: string): Promise<FirstDue> => {
    const waiting = new Map<string, number>();
    for (const { name, inMs } of await sql<Row>(db, statement, [teller ?? null]))
      if (inMs !== null) waiting.set(name, Math.min(inMs, waiting.get(name) ?? Infinity));
    return waiting;
  };
}

interface Row {
  readonly name: string;
  readonly inMs: number | null;
}
