import { weaker, whenLater, whenWider } from '../fields/weaker.js';
import Type, { type Static } from 'typebox';
import { stageOutcomes, waysIntoStages } from '../fields/task-schema.js';
import { asMapping, asText, readAs, takePlace } from './definition-reader.js';
import { refers } from './marks.js';
import { closedMapping, former, nameText, lineText } from './schema-parts.js';

/** The settings that a removed stage cannot have. */
const settings = {
  was: former('Former name'),
  initial: Type.Boolean({
    title: 'Initial',
    description: 'true: new tasks enter this stage; at most one stage can be initial.',
    default: false,
  }),
  end: Type.Boolean({
    title: 'End',
    description: 'A task in an end stage is not active.',
    default: false,
  }),
  outcome: readAs(
    Type.Optional(
      Type.Enum([...stageOutcomes], {
        title: 'Outcome',
        description:
          'For an end stage. done: its tasks were finished; dropped: its tasks were given up. Pages show a different sign for each outcome, and ask for confirmation before an action moves a task to a dropped stage.',
        default: 'done',
      }),
    ),
    // Stored definitions omit `done`, which is the default for end stages.
    (value, holder) => {
      const outcome = stageOutcomes.find((one) => one === value);
      return outcome === 'done' && asMapping(holder)['end'] === true ? undefined : outcome;
    },
  ),
  enter: Type.Enum([...waysIntoStages], {
    ...weaker(whenLater('by_actions', 'freely')),
    title: 'Enter',
    description:
      'How tasks enter the stage. freely: by payloads and actions; by_actions: only by steps of actions. New tasks can always enter the initial stage; tasks that the service itself creates, any stage.',
    default: 'freely',
  }),
  change: readAs(
    Type.Optional(
      Type.Unsafe<'by_actions' | string[]>({
        ...weaker(whenWider),
        title: 'Change',
        description:
          'What payloads and people may change in tasks of this stage. by_actions: nothing; a list: only these fields, relationships, `Assigned To` or `Stage`. Actions may change everything; comments and the checklist stay open. What counts is the stage in which the task is before the write.',
        type: ['string', 'array'],
        pattern: '^by_actions$',
        $comment: 'is not by_actions or a list of the keys that stay open',
        items: {
          ...refers('field', { otherKeys: 'changeable' }),
          title: 'Open',
          description: 'A field, a relationship, `Assigned To` or `Stage`.',
          type: 'string',
        },
        minItems: 1,
        maxItems: 500,
        examples: ['by_actions', ['Log', 'Assigned To']],
      }),
    ),
    (value) => (Array.isArray(value) ? takePlace(value, value.map(asText)) : 'by_actions'),
  ),
};

/** The schema of a stage. Settings without a column are stored in `stages.settings`. */
export const stage = Type.Object(
  {
    name: nameText({
      title: 'Name of the stage',
      description: 'Identifies the stage in its workflow.',
    }),
    ...settings,
    removed: Type.Optional(
      Type.Literal(true, {
        title: 'Removed',
        description: 'true: removes the stage with its checklist template items. May stay in the file.',
      }),
    ),
    move_tasks_to: Type.Optional(
      Type.String({
        title: 'Move tasks to',
        description: 'For a removed stage: the stage to which its tasks and checklist items move.',
      }),
    ),
  },
  {
    ...closedMapping,
    title: 'Stage',
    description: 'How far a task has come. The name identifies the stage.',
    examples: [
      { name: 'New' },
      { name: 'In Review' },
      { name: 'Approved', enter: 'by_actions', change: 'by_actions', end: true },
    ],
    dependentRequired: { move_tasks_to: ['removed'] },
    dependentSchemas: {
      removed: { properties: Object.fromEntries(Object.keys(settings).map((key) => [key, false])) },
    },
  },
);

export type WrittenStage = Static<typeof stage>;

export type StageDefinition = Omit<WrittenStage, 'removed' | 'move_tasks_to'>;

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
