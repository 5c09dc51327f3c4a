import { calendars } from '../../workflows/model/kinds/calendars.kind.js';
import Type from 'typebox';
import { calendarWithoutHours, type Calendar } from '../../workflows/time/calendar.js';
import { tooManyDays } from '../../workflows/time/parse-calendar.js';
import { needsHours, parseDuration } from '../../workflows/time/duration.js';
import { addTo } from '../../workflows/time/working-time.js';
import { beginningOfDay, DAY, MINUTE } from '../../workflows/time/zone.js';
import { startOfDay } from '../../common/calendar.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { say } from '../../common/message.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { readInstant } from '../../workflows/fields/types/datetime.js';
import { addTimer, MAX_TIMERS } from '../timers/timers.repository.js';
import { checkExpression, checkTemplate } from '../../workflows/model/check/formulas.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { asMapping, asText, isMapping, readAs } from '../../workflows/model/definition-reader.js';
import { checkGivenLater } from '../check/given.js';
import { refers } from '../../workflows/model/marks.js';
import { givenFields } from '../../workflows/model/schema-parts.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { valuesOf } from '../step-values.js';
import { type Run, StepFailed, stepType } from '../step.js';

const at = readAs(
  Type.Optional(
    Type.Unsafe<string | { expression: string }>({
      title: 'At',
      description:
        'A text with templates, or {expression: …}, that gives a date and time, or a date. A date means the beginning of the day in the time zone of the calendar or workspace.',
      type: ['string', 'object'],
      minLength: 1,
      required: ['expression'],
      properties: { expression: { type: 'string', title: 'Expression', description: 'A CEL expression.' } },
      additionalProperties: false,
    }),
  ),
  (value) => (isMapping(value) ? { expression: asText(asMapping(value)['expression']) } : asText(value)),
);

const settings = Type.Object(
  {
    action: Type.String({
      ...refers('action'),
      title: 'Action',
      description: 'The id of the action that starts later. The action must be one of this workflow.',
    }),
    after: Type.Optional(
      Type.String({
        title: 'After',
        description:
          'How long from now: 90 minutes, 3 days, 4 working_hours. Days keep the time of day; working time needs a calendar.',
        examples: ['3 days'],
      }),
    ),
    at,
    calendar: Type.Optional(
      Type.String({
        ...refers('calendar'),
        title: 'Calendar',
        description: 'The id of the calendar that counts working time.',
      }),
    ),
    fields: givenFields('Evaluated when the action starts.'),
    cancel: Type.Optional(
      Type.Enum(['on_stage_change'], {
        title: 'Cancel',
        description:
          'on_stage_change: if the stage of the task changes after this execution has ended, the action does not start.',
      }),
    ),
  },
  {
    title: 'Schedule an action',
    description: 'Starts an action on the task later: after a duration, or at a time.',
    examples: [
      { action: 'close', after: '3 days', cancel: 'on_stage_change' },
      { action: 'close', at: '{{Starts At}}' },
    ],
  },
);

type Step = Readonly<Type.Static<typeof settings>>;

export const scheduleAction = stepType(settings, {
  check(step, scope, report) {
    checkGivenLater({ holder: step, key: 'action', action: step.action }, scope, report);
    checkTime(step, scope, report);
  },
  // The empty list requests `run.tx`, because the timer must be written under the task's lock.
  touches: () => [],
  async run(step, run) {
    const { scope, task } = run.context;
    const now = run.tx ? serviceTime(run.tx) : run.context.now;
    const time = timeOf(step, run, now);
    // The action starts after a minute at the earliest, because an action may reschedule itself without end.
    const soonest = now.getTime() + MINUTE;
    if (time < now.getTime()) throw new StepFailed(say`at is in the past: ${new Date(time).toISOString()}`);
    if (!run.tx) return;
    const key = { workspaceId: scope.workspaceId, workflowId: scope.workflow.id, taskId: task.id };
    const given = step.fields ? { set: step.fields } : null;
    const wanted = { actionId: step.action, at: new Date(Math.max(time, soonest)), given };
    const isCancelledByStage = step.cancel === 'on_stage_change';
    const { cause, user } = scope.origin?.source ?? {};
    const carried = { chain: cause?.chain ?? [], initiator: cause?.initiator ?? user };
    if (!(await addTimer(run.tx, key, { ...wanted, isCancelledByStage, cause: carried })))
      throw new StepFailed(say`the task has ${MAX_TIMERS} timers already`);
  },
});

function checkTime(step: Step, scope: WorkflowScope, report: Report): void {
  const { after, at: time, calendar } = step;
  if (after === undefined && time === undefined) report(step, 'after', 'is required if at is not given');
  if (after !== undefined && time !== undefined) report(step, 'at', 'cannot be combined with after');
  if (typeof time === 'string') checkTemplate(time, scope, report.at(step, 'at'));
  else if (time) checkExpression(time.expression, scope, report.at(time, 'expression'));
  if (after === undefined) return;
  const { value, refusals = [] } = parseDuration(after);
  for (const { message } of refusals) report(step, 'after', message);
  if (value && needsHours(value) && calendar === undefined)
    report(step, 'after', 'is in working time, so calendar is required');
  const source = calendars.in(scope.workspace.definition).find(({ id }) => id === calendar);
  const fault = value && tooManyDays(source, value);
  if (fault !== undefined) report(step, 'after', fault);
}

const setOfTime = ({ at: time }: Step) => (time === undefined ? {} : { at: time });

/** Returns the start time of the action, in milliseconds. */
function timeOf(step: Step, run: Run, now: Date): number {
  const { scope } = run.context;
  const calendar = calendarOf(step, scope.workflow);
  const { value: duration } = parseDuration(step.after ?? '');
  if (duration) return addTo(calendar, now.getTime(), duration);
  const value = valuesOf(setOfTime(step), run).get('at') ?? null;
  const text = typeof value === 'string' ? value : '';
  if (text === '') throw new StepFailed('at is blank');
  const day = startOfDay(text);
  if (day) return beginningOfDay(calendar.zone, day.getTime() / DAY);
  const instant = readInstant(text);
  if (instant instanceof Invalid) throw new StepFailed('at is neither a date nor a date and time');
  return Date.parse(instant);
}

function calendarOf({ calendar }: Step, { calendars, timezone }: Workflow): Calendar {
  const known = calendar === undefined ? calendarWithoutHours(timezone) : calendars.get(calendar);
  if (!known) throw new StepFailed('the calendar no longer exists');
  return known;
}
