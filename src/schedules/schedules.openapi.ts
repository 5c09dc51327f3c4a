import { empty, json, listOf, parameters, ref } from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { RunsQuery } from '../executions/runs/run.dto.js';
import { CalendarPayload, CalendarWalk } from './calendar.dto.js';
import { CalendarsController } from './calendars.controller.js';
import { ShownSchedule } from './schedule.dto.js';
import { SchedulesController } from './schedules.controller.js';

const group: OperationGroup = {
  name: 'Schedules',
  description: 'Schedules, which create tasks or start actions at set times, and calendars.',
  models: [ShownSchedule, CalendarPayload, CalendarWalk],
};
const schedule = { 200: json('The schedule.', 'Schedule', ['Event-Id']) };
const { idempotencyKey } = parameters;

export function describeSchedules(): OperationGroup {
  describe(CalendarsController, group, {
    try: {
      id: 'tryCalendar',
      summary: 'Add a duration by a calendar',
      description: 'Shows when the duration ends, and how much of it each day counts. Nothing is stored.',
      parameters: [idempotencyKey],
      body: { type: 'application/json', schema: ref('CalendarTrial') },
      answers: { 200: json('The end of the duration.', 'CalendarWalk') },
      refusals: ['409', '413', '415'],
    },
  });
  return describe(SchedulesController, group, {
    list: {
      id: 'listSchedules',
      summary: 'List the schedules of a workflow',
      description: 'In the order of the definition, which has their settings, with the next five firings.',
      answers: { 200: json('The schedules.', listOf(ref('Schedule'))) },
    },
    listRuns: {
      id: 'listRunsOfSchedule',
      summary: 'List the runs of a schedule, newest first',
      description:
        'One run for each task that it created or started an action on, and for each firing that was left out.',
      query: RunsQuery,
      answers: { 200: json('The runs.', listOf(ref('Run')), ['Link']) },
    },
    run: {
      id: 'runSchedule',
      summary: 'Fire a schedule now',
      description: 'In addition to its set times, even if it is paused. The result is a run.',
      parameters: [idempotencyKey],
      answers: { 202: empty('The schedule will fire.') },
      refusals: ['409'],
    },
    pause: {
      id: 'pauseSchedule',
      summary: 'Pause a schedule',
      description: 'Its firings are `skipped` from now on, and are not made up for.',
      parameters: [idempotencyKey],
      answers: schedule,
      refusals: ['409'],
    },
    resume: {
      id: 'resumeSchedule',
      summary: 'Resume a schedule',
      description: 'It fires at its next time.',
      parameters: [idempotencyKey],
      answers: schedule,
      refusals: ['409'],
    },
  });
}
