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
      description: 'The heading of the form’s page.',
      examples: ['Ask us'],
    }),
    fields: formFields({
      title: 'Fields',
      description: 'The fields that people fill in, in this order. People can fill in no other fields.',
      examples: [['Subject', { field: 'Contract', types: ['application/pdf'], max: '5 MB' }]],
    }),
    fixed: constantsOf({
      title: 'Fixed',
      description:
        'Values that every task of the form gets. {{random}} in a text becomes ten letters and digits: the reference that the confirmation page shows. A text for the Unique ID must contain {{random}}. A Unique ID without autoincrement needs a text.',
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
        description: 'An email field of the form. The reference is mailed to the address in this field.',
      }),
    ),
    per_day: Type.Integer({
      title: 'Per day',
      description: 'The most tasks that the form creates on one day, in the time zone of the workspace.',
      minimum: 1,
      maximum: 100_000,
      default: 200,
    }),
    open: Type.Optional(
      Type.Object(
        {
          from: day('From', 'The first day, in the time zone of the workspace.'),
          until: day('Until', 'The last day, in the time zone of the workspace.'),
        },
        { ...closedMapping, title: 'Open', description: 'The days on which the form is open.' },
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
