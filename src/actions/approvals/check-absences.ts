import { startOfDay } from '../../lib/calendar.js';
import { checkUser, type Report, type WorkspaceScope } from '../../workspace/check/kit.js';
import { type UserDefinition } from '../../workspace/definition.js';
import { MAX_HOPS } from './deputies.js';

type Away = NonNullable<UserDefinition['away']>;

/** Reports absences with an unknown deputy, no duration, or a chain of deputies that is circular or too long. */
export function checkAbsences(scope: WorkspaceScope, report: Report): void {
  const { users } = scope.definition;
  const absences = new Map(users.flatMap(({ email, away }) => (away ? [[email.toLowerCase(), away]] : [])));
  for (const { email, away } of users) {
    if (!away) continue;
    checkUser(away, 'to', away.to, scope, report);
    if (checkDays(away, report)) checkChain(email.toLowerCase(), away, absences, report);
  }
}

function checkDays(away: Away, report: Report): boolean {
  const wrong = (['from', 'until'] as const).filter((key) => !startOfDay(away[key]));
  for (const key of wrong) report(away, key, 'is not a date such as 2026-12-24');
  if (wrong.length > 0) return false;
  if (away.from < away.until) return true;
  report(away, 'until', 'is not after from');
  return false;
}

/** Follows the chain of deputies who are absent on the same day. */
function checkChain(email: string, away: Away, absences: ReadonlyMap<string, Away>, report: Report): void {
  const met = new Set([email]);
  let [next, from, until] = [away.to.toLowerCase(), away.from, away.until];
  for (;;) {
    if (met.has(next)) {
      report(away, 'to', `leads back to ${next}, who is away too`);
      return;
    }
    met.add(next);
    const further = absences.get(next);
    if (!further) return;
    from = from > further.from ? from : further.from;
    until = until < further.until ? until : further.until;
    if (from >= until) return;
    if (met.size > MAX_HOPS) {
      report(away, 'to', `leads through more than ${MAX_HOPS} deputies`);
      return;
    }
    next = further.to.toLowerCase();
  }
}
