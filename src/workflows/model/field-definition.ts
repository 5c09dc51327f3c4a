import { weaker, whenLess, whenMore } from '../fields/weaker.js';
import { builtInNames } from '../fields/properties/built-ins.js';
import Type, { type Static, type TSchema } from 'typebox';
import { type FieldSettings } from '../../common/database/json-columns.js';
import { fieldTypes, typesWhere } from '../fields/field-types.js';
import { type ValueHolder, type JsonValue, readAs, readExact } from './definition-reader.js';
import { closedMapping, former, nameText, wayOfChange, wordsOf } from './schema-parts.js';

export type FieldDefinition = Static<typeof field> & FieldSettings;

/** The settings of all types of fields, by key. Types that have the same setting share its schema. */
export const fieldSettings: ReadonlyMap<string, TSchema> = new Map(
  [...fieldTypes.values()].flatMap(({ settings }) => Object.entries<TSchema>(settings.properties)),
);

export function missingSettings(field: FieldDefinition): string[] {
  const needed = fieldTypes.get(field.type)?.settings.required ?? [];
  return needed.filter((key) => field[key] === undefined);
}

/** The types of fields that cannot have `change`. A payload names its task by the value of such a field. */
const withoutChange = typesWhere(({ storage }) => storage === 'column');

const withoutDefault = typesWhere(({ takesDefault }) => !takesDefault);

const withoutIndex = typesWhere(({ indexedAs }) => indexedAs === undefined);

/** The maximum number of indexed fields in a workflow. Each index slows down writes. */
export const MAX_INDEXES = 10;

/**
 * An optional setting of a type of field. If the setting accepts both texts and numbers, reads a number as
 * its text, so that no digit is lost.
 */
function settingOf(schema: TSchema): TSchema {
  const { type } = schema as { readonly type?: unknown };
  const setting = Type.Optional(schema);
  return Array.isArray(type) && type.includes('number') ? readAs(setting, readDigits) : setting;
}

function readDigits(value: JsonValue, holder: ValueHolder, key: string | number): string | undefined {
  const exact = readExact(value, holder, key);
  return typeof exact === 'string' ? exact : undefined;
}

/** The schema of a field: the general settings, and the settings of all types. */
export const field = Type.Object(
  {
    name: nameText({
      title: 'Name of the field',
      description: `The key in a task's JSON. Not ${[...builtInNames].map((name) => `\`${name}\``).join(', ')} or \`base\`, not the name of a relationship, and no leading \`_\`.`,
    }),
    was: former('Former name'),
    type: Type.String({
      title: 'Type',
      description: `The type of the values. ${[...fieldTypes].map(([name, { settings }]) => `${name}: ${wordsOf(settings).description}`).join(' ')}`,
      enum: [...fieldTypes.keys()],
    }),
    ...Object.fromEntries([...fieldSettings].map(([key, schema]) => [key, settingOf(schema)])),
    required: Type.Boolean({
      ...weaker(whenLess),
      title: 'Required',
      description: 'true: every task must have a value.',
      default: false,
    }),
    editable: Type.Boolean({
      ...weaker(whenMore),
      title: 'Editable',
      description: 'false: the value is set at creation, and no payload or step can change it later.',
      default: true,
    }),
    change: wayOfChange(
      `A payload may repeat the value, or give a new task the default value. Not for ${withoutChange.join(' and ')}.`,
    ),
    index: readAs(
      Type.Optional(
        Type.Boolean({
          title: 'Index',
          description: `true: the service keeps an index of this field. Filters, and sorts of texts, numbers and dates, then stay fast with any number of tasks. At most ${MAX_INDEXES} fields of a workflow; not for ${withoutIndex.slice(0, -1).join(', ')} and ${withoutIndex.at(-1) ?? ''}.`,
          default: false,
        }),
      ),
      // False means the same as absent, and is stored as absent.
      (value) => value === true || undefined,
    ),
    default: readAs(
      Type.Optional(
        Type.Unsafe<JsonValue>({
          title: 'Default',
          description: `The value of a new task whose payload omits the field; not for ${withoutDefault.join(' and ')}.`,
          type: ['string', 'number', 'boolean', 'array', 'null'],
          items: { title: 'Member', description: 'A member of a list.', type: ['string', 'number'] },
        }),
      ),
      readExact,
    ),
  },
  {
    ...closedMapping,
    title: 'Field',
    description: "A key of a task's JSON. The name identifies the field.",
    examples: [...fieldTypes].map(([type, { settings }]) => ({
      name: '',
      type,
      ...wordsOf(settings).examples[0],
    })),
  },
);
