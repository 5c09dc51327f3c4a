import { type Bindings } from '../../tasks/store/where.sql.js';
import { type Calendar, openTimes } from '../../workflows/time/calendar.js';
import { DAY } from '../../workflows/time/zone.js';

/** Working time is counted for the last ten years. */
const HORIZON = 3653 * DAY;

/**
 * SQL: the working time in seconds between two instants, neither of them after `end`: the working time until the one
 * minus that until the other. That is a sum up to the last opening or closing, plus the time since an opening.
 */
export function workingSeconds(
  calendar: Calendar,
  end: number,
  bindings: Bindings,
): (from: string, to: string) => string {
  const changes: number[] = [];
  const counts: number[] = [];
  let count = 0;
  for (const { from, to } of openTimes(calendar, end - HORIZON, end)) {
    changes.push(from / 1000, to / 1000);
    counts.push(count, (count += (to - from) / 1000));
  }
  const [ats, sums] = [bindings.bind(changes), bindings.bind(counts)].map((name) => `${name}::float8[]`);
  const until = (instant: string): string => `(
    SELECT COALESCE((${sums})[nth], 0) + CASE WHEN nth % 2 = 1 THEN at - (${ats})[nth] ELSE 0 END
    FROM (SELECT date_part('epoch', ${instant}) AS at, width_bucket(date_part('epoch', ${instant}), ${ats}) AS nth) i
  )`;
  return (from, to) => `(${until(to)} - ${until(from)})`;
}
