import Type, { type Static } from 'typebox';
import { formFields } from '../../actions/asks/form-fields.js';
import { todayIn } from '../../common/calendar.js';
import { refers } from '../../workflows/model/marks.js';
import { closedMapping, constantsOf, idText, lineText } from '../../workflows/model/schema-parts.js';
import { type Workflow } from '../../workflows/model/workspace.js';

const day = (title: string, description: string) =>
  Type.Optional(
    Type.String({
      title,
      description,
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
      $comment: 'is not a date in YYYY-MM-DD format',
      examples: ['2026-09-01'],
    }),
  );

export const form = Type.Object(
  {
    id: idText({ title: 'Id of the form', description: 'Identifies the form in its workflow.' }),
    title: lineText({
      title: 'Title',
      description: 'The heading of its page.',
      examples: ['Ask us'],
    }),
    fields: formFields({
      title: 'Fields',
      description: 'The fields that people fill in, in order. Nothing else of a task can be given.',
      examples: [['Subject', { field: 'Contract', types: ['application/pdf'], max: '5 MB' }]],
    }),
    fixed: constantsOf({
      title: 'Fixed',
      description:
        'Values that every task of the form gets. Texts may hold {{random}}, ten letters and digits that the confirmation page shows as the reference; the text of a Unique ID that is not numbered must hold it.',
      examples: [{ Tier: 'Silver' }],
    }),
    prefill: Type.Optional(
      Type.Array(Type.String(), {
        ...refers('field'),
        title: 'Prefill',
        description: 'The fields that the address may fill in: /f/TOKEN?Vendor+Name=Nordwind',
        examples: [['Subject']],
      }),
    ),
    confirm: Type.Optional(
      Type.String({
        ...refers('field'),
        title: 'Confirm',
        description: 'The email field of the form whose address gets the reference by mail.',
      }),
    ),
    per_day: Type.Integer({
      title: 'Per day',
      description: 'The most tasks that it creates on one day of the workspace.',
      minimum: 1,
      maximum: 100_000,
      default: 200,
    }),
    open: Type.Optional(
      Type.Object(
        {
          from: day('From', 'The first day.'),
          until: day('Until', 'The last day.'),
        },
        { ...closedMapping, title: 'Open', description: 'The days, of the workspace, on which it is open.' },
      ),
    ),
    embed: Type.Optional(
      Type.Array(
        Type.String({
          title: 'Origin',
          description: 'A web site, without a path.',
          pattern: '^https?://[a-zA-Z0-9.-]+(:[0-9]{1,5})?$',
          $comment: 'is not an origin such as https://acme.test',
        }),
        {
          title: 'Embed',
          description: 'The sites that may show the form in a frame. Default: none.',
          maxItems: 20,
          examples: [['https://acme.test']],
        },
      ),
    ),
  },
  {
    ...closedMapping,
    title: 'Form',
    description: 'A page on which people without an account create a task.',
    examples: [
      {
        id: 'intake',
        title: 'Ask us',
        fields: ['Subject', { field: 'Contract', types: ['application/pdf'], max: '5 MB' }],
        fixed: { Tier: 'Silver' },
      },
    ],
  },
);

export type FormDefinition = Static<typeof form>;

export const todayOf = ({ timezone }: Pick<Workflow, 'timezone'>): string =>
  todayIn(timezone, new Date(Date.now()));

export const isOpenOn = ({ open = {} }: Pick<FormDefinition, 'open'>, day: string): boolean =>
  (open.from ?? '') <= day && day <= (open.until ?? '9999-12-31');
