import { parseCalendar } from '../../workflows/time/parse-calendar.js';
import { parseCron } from '../../workflows/time/cron.js';
import { nextFirings, type Timetable } from '../../workflows/time/firings.js';
import { timezoneFault } from '../../workflows/time/zone.js';
import { ExpressionError } from '../../workflows/expressions/expression-error.js';
import { storageOf } from '../../workflows/fields/field-types.js';
import { changeableBuiltIns } from '../../workflows/fields/properties/built-ins.js';
import { checkGivenLater } from '../../actions/check/given.js';
import { calendars } from '../../workflows/model/kinds/calendars.kind.js';
import { checkConstant, fieldsLeftOut, leftOut } from '../../actions/check/set.js';
import { checkField, type Report, type Tell, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type CreatedValue } from '../../workflows/model/schema-parts.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { type FiringPlace, fillIn, placeholderFaults, conditionsOf } from './placeholders.js';
import { nominalOf, timetableOf } from './timetable.js';
import { isBlankText } from '../../common/text.js';
import { reasonOfFailure } from '../../actions/step.js';
import { english } from '../../common/message.js';
import { draftSchema } from '../../workflows/model/draft-schema.js';

/** Reports faults in a schedule, except for its query, which `checkQuery` checks. */
export function checkSchedule(schedule: ScheduleDefinition, scope: WorkflowScope, report: Report): void {
  for (const { message } of parseCron(schedule.cron).refusals ?? []) report(schedule, 'cron', message);
  const zoneFault = timezoneFault(schedule.timezone ?? 'UTC');
  if (zoneFault !== undefined) report(schedule, 'timezone', zoneFault);
  checkPurpose(schedule, report);
  if (schedule.run !== undefined)
    checkGivenLater({ holder: schedule, key: 'run', action: schedule.run }, scope, report);
  if (schedule.for !== undefined) checkTexts(schedule.for, report.at(schedule, 'for'));
  if (schedule.create) checkCreated(schedule, schedule.create, scope, report);
}

/** A schedule either creates a task or starts an action. */
function checkPurpose(schedule: ScheduleDefinition, report: Report): void {
  const { create, run } = schedule;
  const hasQuery = schedule.for !== undefined;
  if (create && (hasQuery || run !== undefined))
    report(schedule, 'create', 'cannot be combined with for and run: write one or the other');
  else if (!create && !hasQuery && run === undefined)
    report(schedule, 'id', 'has nothing to do: write create, or for and run');
  else if (!create && !hasQuery) report(schedule, 'for', 'is required if run is given');
  else if (!create && run === undefined) report(schedule, 'run', 'is required if for is given');
}

/** Reports invalid placeholders; returns whether there are none. */
function checkTexts(text: string, tell: Tell): boolean {
  try {
    const faults = placeholderFaults(text);
    for (const fault of faults) tell(fault);
    return faults.length === 0;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    tell(error.message);
    return false;
  }
}

type Created = NonNullable<ScheduleDefinition['create']>;

function checkCreated(
  schedule: ScheduleDefinition,
  create: Created,
  scope: WorkflowScope,
  report: Report,
): void {
  const [place] = firingsOf(schedule, scope);
  for (const [name, value] of Object.entries(create)) checkValueOf(create, name, value, scope, place, report);
  for (const { name } of fieldsLeftOut(create, scope)) report(schedule, 'create', leftOut(name, scope));
  checkUniqueIds(schedule, create, scope, report);
}

function checkValueOf(
  create: Created,
  name: string,
  value: CreatedValue,
  scope: WorkflowScope,
  place: FiringPlace | undefined,
  report: Report,
): void {
  const field = scope.fields.get(name);
  if (!field && !changeableBuiltIns.has(name)) checkField(name, scope, report.at(create, name));
  else if (field && storageOf(field.type) === 'blobs')
    report(create, name, 'is a file field, which a schedule cannot set');
  else if (typeof value !== 'string' || checkTexts(value, report.at(create, name))) {
    const filled = typeof value === 'string' && place ? fillIn(value, place) : value;
    checkConstant(filled, name, scope, report.at(create, name));
  }
}

/** How many future firings must have different Unique IDs. */
const TOLD_APART = 100;

/** Reports a Unique ID that two firings would share: the second firing would create no task. */
function checkUniqueIds(
  schedule: ScheduleDefinition,
  create: Created,
  scope: WorkflowScope,
  report: Report,
): void {
  const name = scope.workflow.fields.find(({ type }) => storageOf(type) === 'column')?.name ?? '';
  const text = Object.hasOwn(create, name) ? create[name] : undefined;
  if (typeof text !== 'string' || isBlankText(text) || !checkTexts(text, () => undefined)) return;
  const seen = new Map<string, string>();
  for (const place of firingsOf(schedule, scope)) {
    const id = fillIn(text, place);
    const nominal = nominalOf(place.firing);
    const earlier = seen.get(id);
    if (earlier !== undefined) {
      const remedy = 'use {{date}} and {{time}} to tell firings apart';
      report(create, name, `is ${id} at ${earlier} and at ${nominal}, so the second is skipped: ${remedy}`); // prettier-ignore
      return;
    }
    seen.set(id, nominal);
  }
}

/** The next firings of a schedule in a definition; none if its times are invalid. */
function firingsOf(schedule: ScheduleDefinition, { workspace }: WorkflowScope): FiringPlace[] {
  const { definition } = workspace;
  const { timezone = 'UTC' } = definition.workspace;
  const isUnclear = [schedule.timezone ?? 'UTC', timezone].some((zone) => timezoneFault(zone) !== undefined);
  const source = calendars.in(definition).find(({ id }) => id === schedule.calendar);
  const calendar = source && parseCalendar(source).value;
  if (isUnclear || (source && !calendar)) return [];
  const known = new Map(calendar ? [[calendar.id, calendar]] : []);
  const timetable: Timetable | undefined = timetableOf(schedule, { calendars: known, timezone });
  if (!timetable) return [];
  const { zone } = timetable;
  return nextFirings(timetable, Date.now(), TOLD_APART).map((firing) => ({ firing, zone }));
}

export function checkQuery(schedule: ScheduleDefinition, scope: WorkflowScope, report: Report): void {
  const { for: query } = schedule;
  const [place] = firingsOf(schedule, scope);
  if (query === undefined || !place) return;
  try {
    conditionsOf(draftSchema(scope), query, place);
  } catch (error) {
    const reason = reasonOfFailure(error);
    if (reason === undefined) throw error;
    report(schedule, 'for', `is not a query of workflow ${scope.workflow.id}: ${english(reason)}`);
  }
}
