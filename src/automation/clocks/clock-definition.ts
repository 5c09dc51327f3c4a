import Type, { type Static } from 'typebox';
import { asMapping, asText, readAs, takePlace } from '../../workflows/model/definition-reader.js';
import { refers } from '../../workflows/model/marks.js';
import { closedMapping, givenFields, idText, type SettingWords } from '../../workflows/model/schema-parts.js';

const stagesOf = (words: SettingWords) =>
  Type.Object(
    {
      stages: Type.Array(Type.String(), {
        ...refers('stage'),
        title: 'Stages',
        description: 'Stages of this workflow.',
        minItems: 1,
        maxItems: 100,
      }),
    },
    { ...closedMapping, ...words },
  );

const duration =
  '`<n> minutes | hours | days` of elapsed time (a day keeps the time of day), or `<n> working_minutes | working_hours | working_days` of the calendar';

const rung = Type.Object(
  {
    at: Type.String({
      title: 'At',
      description: `A share of the budget (\`50%\`; rounded up to whole days if the budget is in days), a duration from the start (\`2 hours\`), or a duration from the end (\`100% + 8 working_hours\`, \`-2 days\`, \`+2 days\`). A duration is ${duration}.`,
      examples: ['50%', '100%', '100% + 8 working_hours', '-2 days'],
    }),
    run: Type.Optional(
      Type.String({
        ...refers('action'),
        title: 'Run',
        description:
          'The id of the action that the rung starts. Without `run`, the rung only records an event.',
      }),
    ),
    fields: givenFields(),
  },
  {
    ...closedMapping,
    title: 'Rung',
    description: 'A reminder or escalation at one time.',
  },
);

interface BudgetByField {
  field: string;
  of: { [value: string]: string };
  else?: string;
}

const budget = readAs(
  Type.Optional(
    Type.Unsafe<string | BudgetByField>({
      title: 'Budget',
      description: `The time that is allowed, at most five years: ${duration}; or a duration for each value of a field. Without \`else\`, or with \`else: none\`, tasks with other values do not have the clock.`,
      type: ['string', 'object'],
      required: ['field', 'of'],
      properties: {
        field: { ...refers('field'), title: 'Field', description: 'A field of the task.', type: 'string' },
        of: {
          title: 'Of',
          description: 'A duration for each value.',
          type: 'object',
          additionalProperties: { title: 'Duration', type: 'string' },
        },
        else: { title: 'Else', description: 'For all other values: a duration, or `none`.', type: 'string' },
      },
      additionalProperties: false,
      examples: [
        '3 working_days',
        { field: 'Risk', of: { High: '4 working_hours' }, else: '16 working_hours' },
      ],
    }),
  ),
  (value) => {
    if (typeof value !== 'object') return asText(value);
    const raw = asMapping(value);
    const { field, of, else: otherwise } = raw;
    const values = asMapping(of);
    const texts = Object.entries(values).map(([name, text]): [string, string] => [name, asText(text)]);
    return takePlace(raw, {
      field: asText(field),
      of: takePlace(values, Object.fromEntries(texts)),
      ...(otherwise !== undefined && { else: asText(otherwise) }),
    });
  },
);

/** A clock in a definition. It measures a time limit, or waits for a date or a time. */
export const clock = Type.Object(
  {
    id: idText({ title: 'Id of the clock', description: 'Identifies the clock in its workflow.' }),
    starts: readAs(
      Type.Optional(
        Type.Unsafe<{ stages: string[] } | { field: string }>({
          title: 'Starts',
          description: 'Starts when the task enters one of these stages, or at the date or time in a field.',
          type: 'object',
          properties: {
            stages: {
              ...refers('stage'),
              title: 'Stages',
              description: 'Stages of this workflow.',
              type: 'array',
              items: { type: 'string' },
              minItems: 1,
            },
            field: {
              ...refers('field'),
              title: 'Field',
              description: 'A field of type date or datetime.',
              type: 'string',
            },
          },
          additionalProperties: false,
          examples: [{ stages: ['In Review'] }, { field: 'Received On' }],
        }),
      ),
      (value) => {
        const raw = asMapping(value);
        const { stages, field } = raw;
        const read = Array.isArray(stages)
          ? { stages: takePlace(stages, stages.map(asText)) }
          : { field: asText(field) };
        return takePlace(raw, read);
      },
    ),
    while: Type.Optional(
      stagesOf({
        title: 'While',
        description:
          'Instead of `starts` and `stops`: the clock runs only in these stages and ends when the task leaves them.',
      }),
    ),
    due: Type.Optional(
      Type.Object(
        {
          field: Type.String({
            ...refers('field'),
            title: 'Field',
            description: 'A field of type date or datetime, which holds the deadline.',
          }),
          at: Type.Optional(
            Type.String({
              title: 'At',
              description: 'For a date: the time of day. Default: the end of the day.',
              pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
              $comment: 'is not a time of day such as 17:00',
            }),
          ),
        },
        {
          ...closedMapping,
          title: 'Due',
          description: 'Instead of `starts` and `budget`: a field holds the deadline.',
        },
      ),
    ),
    pauses: Type.Optional(stagesOf({ title: 'Pauses', description: 'The clock is paused in these stages.' })),
    stops: Type.Optional(
      stagesOf({
        title: 'Stops',
        description: 'The clock ends when the task enters one of these stages. Default: the end stages.',
      }),
    ),
    budget,
    calendar: Type.Optional(
      Type.String({
        ...refers('calendar'),
        title: 'Calendar',
        description: 'The id of the calendar that counts working time.',
      }),
    ),
    rungs: Type.Array(rung, {
      title: 'Rungs',
      description: 'The reminders and escalations of the clock, in any order.',
      maxItems: 20,
      default: [],
    }),
    again: Type.Optional(
      Type.Enum(['restart', 'continue'], {
        title: 'Again',
        description:
          'How the clock begins again if the task enters a stage of `starts` or `while` after the clock has ended. restart: from zero; continue: with the time used so far. A clock with a field begins again when the task is no longer in a stage of `stops`.',
        default: 'restart',
      }),
    ),
  },
  {
    ...closedMapping,
    title: 'Clock',
    description: 'A deadline of tasks, with reminders and escalations.',
    examples: [
      {
        id: 'review',
        starts: { stages: ['In Review'] },
        budget: '2 days',
        rungs: [{ at: '50%' }, { at: '100%', run: 'close' }],
      },
    ],
  },
);

export type ClockDefinition = Static<typeof clock>;

export type ClockRungDefinition = Static<typeof rung>;
