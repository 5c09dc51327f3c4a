import { startOfDay } from '../../lib/calendar.js';
import { checkUser, type Report, type WorkspaceScope } from '../../workspace/check/kit.js';
import { type UserDefinition } from '../../workspace/definition.js';
import { MAX_HOPS } from './deputies.js';

type Away = NonNullable<UserDefinition['away']>;

/** Reports absences that name nobody, last no time, or pass a decision on in a circle or too often. */
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

/** Follows who decides for whom as long as all of them are away on the same day. */
function checkChain(email: string, away: Away, absences: ReadonlyMap<string, Away>, report: Report): void {
  const met = new Set([email]);
  let [next, from, until] = [away.to.toLowerCase(), away.from, away.until];
  for (;;) {
    if (met.has(next)) return report(away, 'to', `leads back to ${next}, who is away, too`);
    met.add(next);
    const further = absences.get(next);
    if (!further) return;
    from = from > further.from ? from : further.from;
    until = until < further.until ? until : further.until;
    if (from >= until) return;
    if (met.size > MAX_HOPS) return report(away, 'to', `leads on more than ${MAX_HOPS} times`);
    next = further.to.toLowerCase();
  }
}
