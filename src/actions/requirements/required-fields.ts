import { weaker, whenLess } from '../../workflows/fields/weaker.js';
import Type from 'typebox';
import { refers } from '../../workflows/model/marks.js';
import { requirementType } from '../requirement.js';
import { ofField } from '../../common/message.js';

export const requiredFields = requirementType(
  Type.Array(Type.String(), {
    ...refers('field'),
    ...weaker(whenLess),
    title: 'Required fields',
    description: 'Fields that must not be blank.',
    examples: [['Subject', 'Budget']],
  }),
  {
    compile:
      (names) =>
      ({ scope, task, asked }) =>
        names
          .filter((name) => !asked?.has(name))
          .filter((name) => scope.workflow.schema.byName.get(name)?.isBlank?.(task) ?? true)
          .map((name) => ({ message: ofField(name, 'is required'), about: name, isBlank: true as const })),
  },
);
