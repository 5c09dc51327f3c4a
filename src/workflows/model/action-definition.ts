import { weaker, whenMore, whenOthers, whenLess } from '../fields/weaker.js';
import Type, { type Static, type TSchema } from 'typebox';
import { listIn } from './list-in.js';
import { refers } from './marks.js';
import { closedMapping, former, idText, listSetting, nameText, opaque } from './schema-parts.js';
import { asText, emptyAt, isMapping, type JsonValue, readAs, takePlace } from './definition-reader.js';

export interface ActionField {
  readonly field: string;
  readonly required?: true;
}

/**
 * The actions of a stored or compiled workflow. The cast is safe, because only checked actions are stored.
 */
export const actionsIn = (workflow: object): readonly ActionDefinition[] =>
  listIn(workflow, 'actions') as readonly ActionDefinition[];

/** Whether only rules, clocks, schedules and timers can start the action, and not people or clients. */
export const isStartedByRules = ({ start }: Pick<ActionDefinition, 'start'>): boolean => start === 'by_rules';

export const startedByRules = 'is started by rules';

export const start = readAs(
  Type.Optional(
    Type.Enum(['freely', 'by_rules'], {
      ...weaker(whenLess),
      title: 'Start',
      description:
        'What can start the action. freely: people, clients, rules, clocks, schedules and timers; by_rules: only rules, clocks, schedules and timers. People do not see an action with by_rules, and roles cannot name the action.',
      default: 'freely',
    }),
  ),
  (value) => (value === 'by_rules' ? value : undefined),
);

/**
 * The setting is weaker if the action asks for more fields, because people may then set more values. The
 * setting is also weaker if fewer of the fields are required.
 */
const whenAskedOtherwise = (before: unknown, after: unknown): boolean =>
  whenMore(before, after) || requiredIn(after) < requiredIn(before);
const requiredIn = (asked: unknown): number => JSON.stringify(asked ?? []).split('"required":true').length;

const askedFields = readAs(
  Type.Optional(
    Type.Unsafe<ActionField[]>(
      Type.Array(
        Type.Unsafe<ActionField>({
          title: 'Asked field',
          description: 'The name of a field, or { field: NAME, required: true }.',
          type: ['string', 'object'],
          properties: {
            field: {
              ...refers('field'),
              title: 'Field',
              description: 'A field of the workflow.',
              type: 'string',
            },
            required: {
              ...weaker(whenLess),
              title: 'Required',
              description: 'true: the action does not begin without a value.',
              type: 'boolean',
            },
          },
          required: ['field'],
          additionalProperties: false,
        }),
        {
          ...weaker(whenAskedOtherwise),
          title: 'Fields',
          description:
            'The fields whose values the action asks for, in order. The values are checked first, and then the requirements, which can read the values. The values are written before the first step.',
          examples: [['Amount', { field: 'Reason', required: true }]],
          maxItems: 100,
        },
      ),
    ),
  ),
  (value) => (Array.isArray(value) ? takePlace(value, value.map(readActionField)) : []),
);

function readActionField(value: JsonValue, index: number, all: JsonValue[]): ActionField {
  if (!isMapping(value)) return takePlace(emptyAt(all, index), { field: asText(value) });
  const isRequired = value['required'] === true;
  return takePlace(value, { field: asText(value['field']), ...(isRequired && { required: true }) });
}

/** The setting is weaker if the action is available in more stages. An empty list means every stage. */
const whenInMore = (before: unknown, after: unknown): boolean =>
  whenMore([], before) && (!whenMore([], after) || whenOthers(before, after));

/** One step of an action. The file of each type of step declares the further settings of such a step. */
export type StepDefinition<Settings extends object = object> = {
  name: string;
  type: string;
  when?: string;
} & Settings;

/** The requirements of an action, by kind. The file of each kind declares the type of its value. */
export type RequirementsDefinition = { [kind: string]: unknown };

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
        title: 'Stages',
        description: 'The stages in which the action is available. Default: every stage.',
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
          description: 'The steps of the action, in order. Either all steps take effect, or none.',
          maxItems: 100,
        }),
      ),
    },
    {
      ...closedMapping,
      title: 'Action',
      description:
        'Something that people and systems can do with a task. If the requirements are met, the steps run.',
      examples: [{ id: 'close', name: 'Close', stages: ['In Review'] }],
    },
  );

export type ActionDefinition = Static<ReturnType<typeof action>>;
