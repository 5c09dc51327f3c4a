import { weaker, whenMore, whenOthers } from '../fields/weaker.js';
import Type, { type Static, type TSchema } from 'typebox';
import { askedFields, start } from './action-settings.js';
import { refers, toldWhenNew } from './marks.js';
import { closedMapping, former, idText, listSetting, nameText, opaque } from './schema-parts.js';

/** An empty list stands for every stage. */
const whenInMore = (before: unknown, after: unknown): boolean =>
  whenMore([], before) && (!whenMore([], after) || whenOthers(before, after));

/** One step of an action; the file of each kind of step declares its further settings. */
export type StepDefinition<Settings extends object = object> = {
  name: string;
  type: string;
  when?: string;
} & Settings;

/** The requirements of an action by their kinds; each kind declares its own value. */
export type RequirementsDefinition = { [kind: string]: unknown };

/** The setting for an action, with the schemas of its requirements and steps. */
export const action = (requirements: TSchema, step: TSchema) =>
  Type.Object(
    {
      id: idText({
        title: 'Id of the action',
        description: 'Identifies the action in its workflow.',
      }),
      was: former('Former id'),
      name: nameText({ title: 'Name of the action', description: 'Shown to people.' }),
      stages: Type.Array(Type.String(), {
        ...refers('stage'),
        ...weaker(whenInMore),
        ...toldWhenNew(
          (value) => `in ${Array.isArray(value) && value.length > 0 ? value.join(', ') : 'every stage'}`,
        ),
        title: 'Stages',
        description: 'The stages in which it is available. Default: every stage.',
        minItems: 1,
        maxItems: 200,
        default: [],
      }),
      start,
      fields: askedFields,
      requirements: opaque<RequirementsDefinition>(requirements),
      steps: opaque<StepDefinition[]>(
        listSetting(step, {
          title: 'Steps',
          description: 'The steps that it takes, in order, all or nothing.',
          maxItems: 100,
        }),
      ),
    },
    {
      ...closedMapping,
      title: 'Action',
      description: 'Something that people and systems can do with a task: requirements first, then steps.',
      examples: [{ id: 'close', name: 'Close', stages: ['In Review'] }],
    },
  );

export type ActionDefinition = Static<ReturnType<typeof action>>;
