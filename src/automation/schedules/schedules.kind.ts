import { type AppliedDefinition } from '../../workflows/model/impact.js';
import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { setSchedules, type WantedSchedule } from './schedule-states.repository.js';
import { schedule, type ScheduleDefinition } from './schedule-definition.js';
import { calendars, calendarsOf } from '../../workflows/model/kinds/calendars.kind.js';
import { timetableOf, askedFiring } from './timetable.js';
import { parseCron } from '../../workflows/time/cron.js';
import { zoneOf } from '../../workflows/time/zone.js';
import { storageOf } from '../../workflows/fields/field-types.js';
import { checkCreated, checkPlaceholders } from '../../actions/check/created.js';
import { checkGivenLater } from '../../actions/check/given.js';
import { fieldsLeftOut, leftOut } from '../../actions/check/set.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type FiringPlace, fillIn, placeholders, conditionsOf } from './placeholders.js';
import { isBlankText } from '../../common/text.js';
import { reasonOfFailure } from '../../actions/step.js';
import { english } from '../../common/message.js';
import { draftSchema } from '../../workflows/model/draft-schema.js';

export const schedules = kind({
  name: 'schedule',
  list: 'schedules',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(schedule, {
    title: 'Schedules',
    description: 'Schedules create tasks or start actions at set times.',
    maxItems: 100,
  }),
  check: checkSchedule,
  checkSound: checkQuery,
  async begin(tx, stored): Promise<void> {
    await setSchedules(tx, stored.workspaceId, wantedSchedules(stored));
  },
});

function wantedSchedules({ definition, workflowIds }: AppliedDefinition): WantedSchedule[] {
  const { timezone = 'UTC' } = definition.workspace;
  const sources = calendars.in(definition);
  const known = calendarsOf(definition);
  return definition.workflows.flatMap((workflow) =>
    schedules.in(workflow).flatMap((schedule) => {
      const timetable = timetableOf(schedule, { calendars: known, timezone });
      const workflowId = workflowIds.get(workflow.id);
      if (!timetable || workflowId === undefined) return [];
      const calendar = sources.find((each) => each.id === schedule.calendar) ?? null;
      const text = JSON.stringify([schedule.cron, timetable.zone.name, calendar]);
      return [{ workflowId, scheduleId: schedule.id, timetable, text }];
    }),
  );
}

/** Reports faults in a schedule. Of the query, checks only the placeholders; `checkQuery` checks the rest. */
function checkSchedule(schedule: ScheduleDefinition, scope: WorkflowScope, report: Report): void {
  for (const { message } of parseCron(schedule.cron).refusals ?? []) report(schedule, 'cron', message);
  checkPurpose(schedule, report);
  if (schedule.run !== undefined)
    checkGivenLater({ holder: schedule, key: 'run', action: schedule.run }, scope, report);
  if (schedule.for !== undefined) checkPlaceholders(schedule.for, placeholders, report.at(schedule, 'for'));
  if (schedule.create) checkCreate(schedule, schedule.create, scope, report);
}

/** A schedule either creates a task or starts an action. */
function checkPurpose(schedule: ScheduleDefinition, report: Report): void {
  const { create, run } = schedule;
  const given = [schedule.for, run].filter((setting) => setting !== undefined).length;
  if (given !== (create ? 0 : 2))
    report(schedule, 'id', 'needs exactly one thing to do: write either create, or for and run');
}

type Created = NonNullable<ScheduleDefinition['create']>;

function checkCreate(
  schedule: ScheduleDefinition,
  create: Created,
  scope: WorkflowScope,
  report: Report,
): void {
  const place = somePlace();
  checkCreated(create, { ...placeholders, fillIn: (text) => fillIn(text, place) }, scope, report);
  for (const { name } of fieldsLeftOut(create, scope)) report(schedule, 'create', leftOut(name, scope));
  checkUniqueId(create, scope, report);
}

/** Reports a Unique ID that all firings would share: only the first would create a task. */
function checkUniqueId(create: Created, { workflow }: WorkflowScope, report: Report): void {
  const name = workflow.fields.find(({ type }) => storageOf(type) === 'column')?.name ?? '';
  const text = Object.hasOwn(create, name) ? create[name] : undefined;
  if (typeof text === 'string' && !isBlankText(text) && !text.includes('{{'))
    report(create, name, 'is the same at every firing: use {{date}} and {{time}} to tell firings apart');
}

/** An example firing, used to check texts with placeholders. */
function somePlace(): FiringPlace {
  const zone = zoneOf('UTC');
  return { firing: askedFiring({ zone }, Date.now()), zone };
}

function checkQuery(schedule: ScheduleDefinition, scope: WorkflowScope, report: Report): void {
  const { for: query } = schedule;
  if (query === undefined) return;
  try {
    conditionsOf(draftSchema(scope), query, somePlace());
  } catch (error) {
    const reason = reasonOfFailure(error);
    if (reason === undefined) throw error;
    report(schedule, 'for', `is not a query of workflow ${scope.workflow.id}: ${english(reason)}`);
  }
}
