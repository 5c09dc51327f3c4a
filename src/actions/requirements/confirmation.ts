import { lineText } from '../../workflows/model/schema-parts.js';
import { requirementType } from '../requirement.js';

export const confirmation = requirementType(
  lineText({
    title: 'Confirmation',
    description: 'A question that user interfaces ask before the action, but the API does not.',
    examples: ['Close this request?'],
  }),
  { question: (question) => question, compile: () => undefined },
);
