import Type, { type Static } from 'typebox';
import { query, refers } from '../../workflows/model/marks.js';
import { closedMapping, constantsOf, givenFields, idText } from '../../workflows/model/schema-parts.js';

export const schedule = Type.Object(
  {
    id: idText({ title: 'Id of the schedule', description: 'Identifies the schedule in its workflow.' }),
    cron: Type.String({
      title: 'Cron',
      description:
        'When the schedule fires: minute, hour, day of the month, month, day of the week. At least one of the two days must be `*`. The time zone is that of the calendar; without a calendar, that of the workspace.',
      examples: ['0 7 * * MON', '*/15 8-18 * * MON-FRI'],
    }),
    create: constantsOf({
      title: 'Create',
      description:
        'Creates a task of this workflow with these values. Texts may contain {{date}}, {{time}}, {{week}} and {{month}} of the time that `cron` names, and {{now}} for the instant of the firing. Only {{date}} and {{now}} can be shifted: {{date + 14 days}}, {{now - 72 hours}}.',
      examples: [{ Subject: 'Report of {{date}}' }],
    }),
    for: Type.Optional(
      Type.String({
        ...query(),
        title: 'For',
        description:
          'A query, as for lists of tasks. The action of `run` starts on every task found. The query may contain the placeholders of `create`, such as {{date}}, {{date - 3 days}}, {{now}} and {{now - 72 hours}}.',
        examples: ['Stage=In Review&_updated[lt]={{now - 72 hours}}'],
        minLength: 1,
        maxLength: 2000,
      }),
    ),
    run: Type.Optional(
      Type.String({
        ...refers('action'),
        title: 'Run',
        description: 'The id of the action that starts on the tasks of `for`.',
      }),
    ),
    fields: givenFields(),
    calendar: Type.Optional(
      Type.String({
        ...refers('calendar'),
        title: 'Calendar',
        description:
          'The id of a calendar. A firing on a closed day moves to the next open day. Several firings that move to the same time become one.',
      }),
    ),
  },
  {
    ...closedMapping,
    title: 'Schedule',
    description: 'Creates a task, or starts an action on tasks, at set times.',
    examples: [
      { id: 'weekly', cron: '0 7 * * MON', create: { Subject: 'Report of {{date}}' } },
      { id: 'stale', cron: '0 6 * * *', for: 'Stage=In Review', run: 'close' },
    ],
  },
);

export type ScheduleDefinition = Static<typeof schedule>;
