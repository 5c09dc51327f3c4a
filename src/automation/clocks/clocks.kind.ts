import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { clock, type ClockDefinition, type ClockRungDefinition } from './clock-definition.js';
import { tooManyDays } from '../../workflows/time/parse-calendar.js';
import { isFromEnd, parseRungAt } from './clock.js';
import { type Duration, needsHours, parseDuration } from '../../workflows/time/duration.js';
import { type Parsed } from '../../workflows/time/parsed.js';
import { checkGivenLater } from '../../actions/check/given.js';
import { didYouMean } from '../../common/did-you-mean.js';
import { checkDistinct, type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { calendars } from '../../workflows/model/kinds/calendars.kind.js';

export const clocks = kind({
  name: 'clock',
  list: 'clocks',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(clock, {
    title: 'Clocks',
    description: 'Deadlines of tasks, with reminders and escalations.',
    maxItems: 50,
  }),
  check: checkClock,
});

function checkClock(clock: ClockDefinition, scope: WorkflowScope, report: Report): void {
  const { starts, while: within, due, budget } = clock;
  const beginnings = [starts, within, due].filter((beginning) => beginning !== undefined);
  if (beginnings.length !== 1)
    report(clock, 'starts', 'is required unless `while` or `due` is given; only one of the three is allowed');
  if (due && budget !== undefined) report(clock, 'budget', 'is not for a clock whose end is a field');
  if (!due && budget === undefined) report(clock, 'budget', 'is required');
  if (within && clock.stops)
    report(clock, 'stops', 'is not for a clock with `while`, which ends when the task leaves the stages');
  if (starts && 'field' in starts) checkMoment(starts, scope, report);
  if (due) checkMoment(due, scope, report);
  checkBudget(clock, scope, report);
  for (const rung of clock.rungs) checkRung(rung, clock, scope, report);
  const rungs = clock.rungs.map((holder) => ({ holder, key: 'at', text: holder.at }));
  checkDistinct(rungs, 'is the time of another rung', report);
}

function checkMoment(holder: { field: string }, scope: WorkflowScope, report: Report): void {
  const type = scope.fields.get(holder.field)?.type;
  if (type !== undefined && type !== 'date' && type !== 'datetime')
    report(holder, 'field', `is of type ${type}, not date or datetime: ${holder.field}`);
}

function checkBudget(clock: ClockDefinition, scope: WorkflowScope, report: Report): void {
  const { budget } = clock;
  if (budget === undefined) return;
  if (typeof budget === 'string') {
    checkDuration({ holder: clock, key: 'budget', text: budget }, clock, scope, report);
    return;
  }
  for (const [value, text] of Object.entries(budget.of))
    checkDuration({ holder: budget.of, key: value, text }, clock, scope, report);
  if (budget.else !== undefined && budget.else !== 'none')
    checkDuration({ holder: budget, key: 'else', text: budget.else }, clock, scope, report);
  const options = scope.fields.get(budget.field)?.['options'];
  const known = Array.isArray(options) ? options.map(String) : [];
  for (const value of Object.keys(budget.of))
    if (known.length > 0 && !known.includes(value))
      report(budget.of, value, `is not one of: ${known.join(', ')}${didYouMean(value, known)}`);
}

/** Reports faults of a duration. Working time needs a calendar, and must not span too many days. */
function checkDuration(
  { holder, key, text }: { readonly holder: object; readonly key: string; readonly text: string },
  { calendar }: ClockDefinition,
  { workspace }: WorkflowScope,
  report: Report,
  parsed: Parsed<Duration> = parseDuration(text, 'five'),
): void {
  tell(parsed, holder, key, report);
  const { value } = parsed;
  if (!value) return;
  if (needsHours(value) && calendar === undefined)
    report(holder, key, `counts working time, so the clock needs a calendar: ${text}`);
  const source = calendars.in(workspace.definition).find(({ id }) => id === calendar);
  const fault = tooManyDays(source, { ...value, amount: Math.abs(value.amount) });
  if (fault !== undefined) report(holder, key, fault);
}

function checkRung(
  rung: ClockRungDefinition,
  clock: ClockDefinition,
  scope: WorkflowScope,
  report: Report,
): void {
  const parsed = parseRungAt(rung.at);
  tell(parsed, rung, 'at', report);
  if (parsed.value && clock.due && !isFromEnd(parsed.value))
    report(rung, 'at', `counts from a start, but a clock whose end is a field has none: ${rung.at}`);
  if (parsed.value && 'after' in parsed.value) {
    const after = { value: parsed.value.after };
    checkDuration({ holder: rung, key: 'at', text: rung.at }, clock, scope, report, after);
  }
  if (rung.run !== undefined) checkGivenLater({ holder: rung, key: 'run', action: rung.run }, scope, report);
}

function tell({ refusals = [] }: Parsed<unknown>, holder: object, key: string, report: Report): void {
  for (const { message } of refusals) report(holder, key, message);
}
