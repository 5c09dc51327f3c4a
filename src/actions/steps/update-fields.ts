import Type from 'typebox';
import { checkOwnSet } from '../check/set.js';
import { setOf } from '../../workflows/model/schema-parts.js';
import { changeTask, stepType } from '../step.js';
import { valuesOf } from '../step-values.js';

export const updateFields = stepType(
  Type.Object(
    {
      set: setOf({
        title: 'Values',
        description:
          'Values by field name: constants, templates or expressions. A text may hold {{Field Name}}, {{Stage}}, {{Assigned To}} and {{Task URL}}. If one task is linked as Flat, {{Flat.Address}} is a field of that task. {expression: …} is a CEL expression.',
      }),
    },
    {
      title: 'Set fields of the task',
      description: '`Stage` and `Assigned To` are set by the steps move_to_stage and assign.',
      examples: [{ set: { 'Closed On': { expression: 'today()' }, Notes: 'Closed by {{Assigned To}}' } }],
    },
  ),
  {
    check: (step, scope, report) => {
      checkOwnSet(step.set, scope, report);
    },
    async run({ set }, run) {
      await changeTask(run, valuesOf(set, run));
    },
  },
);
