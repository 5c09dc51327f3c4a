import Type, { type Static } from 'typebox';
import { refers } from './marks.js';
import { closedMapping, former, lineText } from './schema-parts.js';

/** The setting for an item of a checklist template. */
export const checklistItem = Type.Object(
  {
    title: lineText({ title: 'Title', description: '1 to 500 characters on one line.' }),
    was: former('Former title'),
    stage: Type.String({
      ...refers('stage'),
      title: 'Stage',
      description: 'The stage on which the item is shown.',
    }),
  },
  {
    ...closedMapping,
    title: 'Checklist item',
    description: 'Identified by stage and title.',
    examples: [{ title: 'Ask for two offers', stage: 'In Review' }],
  },
);

export type ChecklistItemDefinition = Static<typeof checklistItem>;
