import { empty, json, listOf, parameters, ref } from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { RunsQuery } from '../executions/runs/run.dto.js';
import { CalendarPayload, CalendarWalk } from './calendar.dto.js';
import { CalendarsController } from './calendars.controller.js';
import { ShownSchedule } from './schedule.dto.js';
import { SchedulesController } from './schedules.controller.js';

const group: OperationGroup = {
  name: 'Schedules',
  description: 'What happens again and again by the clock, and the calendars that it keeps to.',
  models: [ShownSchedule, CalendarPayload, CalendarWalk],
};
const schedule = { 200: json('The schedule.', 'Schedule', ['Event-Id']) };
const { idempotencyKey } = parameters;

export function describeSchedules(): OperationGroup {
  describe(CalendarsController, group, {
    try: {
      id: 'tryCalendar',
      summary: 'Add a duration by a calendar',
      description: 'Where it leads, and what each day on the way counted. Nothing is stored.',
      parameters: [idempotencyKey],
      body: { type: 'application/json', schema: ref('CalendarTrial') },
      answers: { 200: json('Where it leads.', 'CalendarWalk') },
      refusals: ['409', '413', '415'],
    },
  });
  return describe(SchedulesController, group, {
    list: {
      id: 'listSchedules',
      summary: 'List the schedules of a workflow',
      description: 'In the order of the definition, which says all of them, with the next five firings.',
      answers: { 200: json('The schedules.', listOf(ref('Schedule'))) },
    },
    listRuns: {
      id: 'listRunsOfSchedule',
      summary: 'List the runs of a schedule, newest first',
      description:
        'One for each task that it created or started an action on, and for each firing that was left out.',
      query: RunsQuery,
      answers: { 200: json('The runs.', listOf(ref('Run')), ['Link']) },
    },
    run: {
      id: 'runSchedule',
      summary: 'Have a schedule fire now',
      description: 'Beside its timetable, also where it is paused. What comes of it is a run.',
      parameters: [idempotencyKey],
      answers: { 202: empty('It is about to fire.') },
      refusals: ['409'],
    },
    pause: {
      id: 'pauseSchedule',
      summary: 'Pause a schedule',
      description: 'Its firings are `skipped` from now on, and not made up for.',
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
