import Type from 'typebox';
import { checkFieldOfType } from '../../workflows/model/check/formulas.js';
import { asText, isMapping, readAs, takePlace } from '../../workflows/model/definition-reader.js';
import { refers } from '../../workflows/model/marks.js';
import { changeTask, type Run, StepFailed, stepType } from '../step.js';
import { referredTo, shown } from '../step-values.js';

type Assignee = string | { readonly field: string };

const to = readAs(
  Type.Unsafe<Assignee>({
    ...refers('user', { but: ['performer', 'nobody'] }),
    title: 'To',
    description:
      'The e-mail of a user, `performer`, `nobody`, or { field: NAME } of a person field; a blank field means nobody. { field: Flat.Caretaker } reads the field Caretaker of the one task linked as Flat.',
    type: ['string', 'object'],
    properties: {
      field: {
        ...refers('field', { isCheckedThere: true }),
        title: 'Field',
        description: 'A person field of the task.',
        type: 'string',
      },
    },
    required: ['field'],
    additionalProperties: false,
    examples: ['performer', 'nobody'],
  }),
  (value) => (isMapping(value) ? takePlace(value, { field: asText(value['field']) }) : asText(value)),
);

export const assign = stepType(
  Type.Object(
    { to },
    {
      title: 'Assign the task',
      description: 'Assigns the task to somebody.',
      examples: [{ to: 'performer' }],
    },
  ),
  {
    check(step, scope, report) {
      if (typeof step.to === 'object')
        checkFieldOfType(step.to, ['person'], 'is not a person field', scope, report);
    },
    async run(step, run) {
      await changeTask(run, new Map([['Assigned To', emailOf(step.to, run)]]));
    },
  },
);

function emailOf(wanted: Assignee, { context }: Run): string | null {
  if (typeof wanted === 'object') return shown(referredTo(wanted.field, context)) || null;
  if (wanted === 'nobody') return null;
  if (wanted !== 'performer') return wanted;
  if (!context.performer) throw new StepFailed('there is no performer to assign the task to');
  return context.performer.email;
}
