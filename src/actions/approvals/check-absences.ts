import { startOfDay } from '../../lib/calendar.js';
import { type Report, type WorkspaceScope } from '../../workspace/check/kit.js';
import { type UserDefinition } from '../../workspace/definition.js';

type Away = NonNullable<UserDefinition['away']>;

/** Reports absences without duration, or whose deputy is the absent user. */
export function checkAbsences(scope: WorkspaceScope, report: Report): void {
  const { users } = scope.definition;
  for (const { email, away } of users) {
    if (!away) continue;
    checkDays(away, report);
    if (away.to.toLowerCase() === email.toLowerCase()) report(away, 'to', 'is the user who is away');
  }
}

function checkDays(away: Away, report: Report): void {
  const wrong = (['from', 'until'] as const).filter((key) => !startOfDay(away[key]));
  for (const key of wrong) report(away, key, 'is not a date such as 2026-12-24');
  if (wrong.length === 0 && away.from >= away.until) report(away, 'until', 'is not after from');
}
