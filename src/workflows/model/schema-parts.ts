import { weaker, whenLess } from '../fields/weaker.js';
import Type, { type TSchema, type TUnsafe } from 'typebox';
import { waysOfChange } from '../fields/task-schema.js';
import {
  asMapping,
  asText,
  isMapping,
  type JsonValue,
  readAs,
  readExact,
  takePlace,
} from './definition-reader.js';
import { forOneApply, type NameMark, refers } from './marks.js';

// Schemas that several settings of definitions share.

export interface SettingWords {
  readonly title: string;
  readonly description?: string;
  readonly examples?: unknown;
}

/** The title, description and examples in the schema of a type of field, step or requirement. */
export function wordsOf({ title = '', description = '', examples }: DescribedSetting) {
  const all: unknown[] = Array.isArray(examples) ? examples : [];
  return {
    title,
    description,
    examples: all.filter((example) => typeof example === 'object' && example !== null),
  };
}

interface DescribedSetting extends Partial<SettingWords> {
  readonly properties?: unknown;
  readonly type?: unknown;
}

export const closedMapping = { additionalProperties: false } as const;

export const idText = (words: SettingWords) =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    $comment: 'may hold 1 to 64 letters, digits, _ and - only',
    ...words,
    description: `${words.description ?? ''} 1 to 64 letters, digits, _ and -; cannot be changed.`.trim(),
  });

export const nameText = (words: SettingWords) => Type.String({ minLength: 1, maxLength: 100, ...words });

/** A text of one line that people read. */
export const lineText = (words: SettingWords) => Type.String({ minLength: 1, maxLength: 500, ...words });

export const emailText = (words: SettingWords) =>
  Type.String({ minLength: 3, maxLength: 254, examples: ['mina@acme.test'], ...words });

/** The former name of an element. If the file gives it, an apply renames the stored element. */
export const former = (title: string) =>
  Type.Optional(Type.String({ ...forOneApply, minLength: 1, ...formerly(title) }));

export const formerEmail = Type.Optional(emailText({ ...forOneApply, ...formerly('Former e-mail') }));

function formerly(title: string): SettingWords {
  return {
    title,
    description:
      'The former value: renames the existing element, which keeps its data. May stay in the file.',
  };
}

/** Gives a schema the type `T` of its values. Use it where TypeScript cannot derive the type. */
export function opaque<T>(schema: TSchema): TUnsafe<T> {
  return schema as TUnsafe<T>;
}

/** A value of `set`: a constant, a template or an expression. A number is kept as the text of its digits. */
export type SetValue = string | boolean | null | string[] | { expression: string };

export type SetDefinition = { [name: string]: SetValue };

const setSchema = (words: SettingWords & { default?: SetDefinition }) =>
  Type.Unsafe<SetDefinition>({
    ...refers('field', { keys: true, isCheckedThere: true }),
    ...words,
    type: 'object',
    additionalProperties: {
      title: 'Value',
      description: 'A constant, a text with templates, or {expression: …}.',
      type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
      items: { type: ['string', 'number'] },
      required: ['expression'],
      properties: {
        expression: {
          title: 'Expression',
          description: 'A CEL expression.',
          type: 'string',
          examples: ['today()'],
        },
      },
      additionalProperties: false,
    },
  });

export const setOf = (words: SettingWords & { default?: SetDefinition }) => readAs(setSchema(words), readSet);

/** Like `setOf`, but optional. `readAs` comes last, because `Type.Optional` returns a new schema. */
export const optionalSetOf = (words: SettingWords) => readAs(Type.Optional(setSchema(words)), readSet);

/**
 * The optional setting `fields` of an element that starts an action, such as a rule: the values that the
 * element passes to the action.
 */
export const givenFields = (more = '', at?: NameMark['at']) =>
  optionalSetOf({
    ...refers('field', { keys: true, isCheckedThere: true, ...(at && { at }) }),
    title: 'Fields',
    description: `Values that the action asks for, by field name. ${more}`.trim(),
    examples: [{ Reason: 'overdue', 'Needed By': { expression: 'task["First Day"]' } }],
  });

/** A value of a new task. A number is kept as the text of its digits. */
export type CreatedValue = string | boolean | null | string[];

/** An optional setting that maps names of fields to the values of a new task. */
export const constantsOf = (words: SettingWords) =>
  readAs(
    Type.Optional(
      Type.Unsafe<{ [name: string]: CreatedValue }>({
        ...refers('field', { keys: true, isCheckedThere: true }),
        ...words,
        type: 'object',
        additionalProperties: {
          title: 'Value',
          description: 'A constant, or a text with templates.',
          type: ['string', 'number', 'boolean', 'null', 'array'],
          items: { type: ['string', 'number'] },
        },
      }),
    ),
    (value) => {
      const raw = asMapping(value);
      const entries = Object.entries(raw).map(([name, item]): [string, CreatedValue] => {
        const exact = readExact(item, raw, name);
        if (Array.isArray(exact)) return [name, takePlace(exact, exact.map(asText))];
        return [name, typeof exact === 'boolean' || exact === null ? exact : asText(exact)];
      });
      return takePlace(raw, Object.fromEntries(entries));
    },
  );

function readSet(value: JsonValue): SetDefinition {
  const raw = asMapping(value);
  const entries = Object.entries(raw).map(([name, item]): [string, SetValue] => [
    name,
    readSetValue(readExact(item, raw, name)),
  ]);
  return takePlace(raw, Object.fromEntries(entries));
}

function readSetValue(value: JsonValue): SetValue {
  if (Array.isArray(value)) return takePlace(value, value.map(asText));
  if (isMapping(value)) return takePlace(value, { expression: asText(value['expression']) });
  return typeof value === 'number' ? String(value) : value;
}

/**
 * The setting `change`. `allowed` says what payloads may do even with `by_actions`. `freely`, the default, is
 * stored as absent.
 */
export const wayOfChange = (allowed: string) =>
  readAs(
    Type.Optional(
      Type.Enum([...waysOfChange], {
        ...weaker(whenLess),
        title: 'Change',
        description: `freely: changed by payloads, pages and actions; by_actions: changed only by steps of actions. ${allowed}`,
        default: 'freely',
      }),
    ),
    (value) => (value === 'by_actions' ? value : undefined),
  );

export function listSetting<Item extends TSchema>(
  items: Item,
  options: SettingWords & { maxItems?: number; minItems?: number },
) {
  return Type.Array(items, { default: [], ...options });
}

/** The headers of a request to another system. `values` describes what a header's value may contain. */
export const requestHeaders = (values: string) =>
  Type.Optional(
    Type.Record(Type.String(), Type.String({ title: 'Value', description: values, maxLength: 4096 }), {
      title: 'Headers',
      description: 'An Authorization header must come from a secret.',
    }),
  );
