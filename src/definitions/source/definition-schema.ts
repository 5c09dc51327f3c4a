import Type, { type TObject } from 'typebox';
import { requirementTypes } from '../../actions/requirement-types.js';
import { rule } from '../../rules/rule-schema.js';
import { stepTypes } from '../../actions/step-types.js';
import { documentSchema, type StepDefinition } from '../../workspace/definition.js';
import { asMapping, asText, readAs, readShape } from '../../workspace/definition-reader.js';
import { closedMapping, nameText, wordsOf } from '../../workspace/schema-parts.js';

/** The schema of each type of step. */
export const stepSchemas = new Map(
  [...stepTypes].map(([name, { settings }]) => [name, schemaOfStep(name, settings)]),
);

function schemaOfStep(type: string, settings: TObject) {
  const { title, description, examples } = wordsOf(settings);
  return Type.Object(
    {
      name: nameText({ title: 'Name of the step', description: 'Shown in outcomes and errors.' }),
      type: Type.Literal(type, { title: 'Type of step', description }),
      when: Type.Optional(
        Type.String({
          title: 'When',
          description:
            'A CEL expression, as in conditions. If it is not true when the step is reached, the step is skipped.',
          examples: ['task["Amount"] > 1000'],
        }),
      ),
      ...settings.properties,
    },
    {
      ...closedMapping,
      title,
      description,
      examples: examples.map((example) => ({ name: title, type, ...example })),
    },
  );
}

const step = readAs(
  Type.Unsafe<StepDefinition>({
    title: 'Step',
    description: 'One thing that an action does; its `type` says which.',
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: [...stepSchemas.values()],
  }),
  // Steps of an unknown type are dropped here; the JSON Schema reports them.
  (value) => {
    const raw = asMapping(value);
    const schema = stepSchemas.get(asText(raw['type']));
    return schema && readShape(schema, raw);
  },
);

/** The schema of the whole document, with all types of steps and requirements. */
export const definitionSchema = documentSchema({
  requirements: Type.Object(
    Object.fromEntries([...requirementTypes].map(([key, { settings }]) => [key, Type.Optional(settings)])),
    {
      ...closedMapping,
      title: 'Requirements',
      description: 'Requirements that must be met before the action can begin.',
      default: {},
    },
  ),
  step,
  rule,
});
