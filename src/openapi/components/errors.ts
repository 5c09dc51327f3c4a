import { closed, listOf, type Schemas, text } from '../schema.js';

/** What refusals look like (docs/api.md, Errors). */
export const errorSchemas: Schemas = {
  Problem: {
    description: 'RFC 9457.',
    ...closed({
      type: text('Always `about:blank`: the status says it all.'),
      title: text('The words of the status.'),
      status: { type: 'integer' },
      detail: text('What is wrong, for people.'),
      request_id: text('The request in the log of the service.'),
    }),
  },
  FieldErrors: {
    description: 'All problems at once.',
    ...closed({
      errors: {
        description:
          'Messages by the name of the field or parameter; what belongs to none stands under `base`.',
        type: 'object',
        additionalProperties: { ...listOf({ type: 'string' }), minItems: 1 },
      },
    }),
  },
  RefusedExecution: {
    description: 'The execution was not begun.',
    ...closed({
      status: { type: 'string', enum: ['Fail'] },
      errors: { description: 'One message for each unmet requirement.', ...listOf({ type: 'string' }) },
    }),
  },
};
