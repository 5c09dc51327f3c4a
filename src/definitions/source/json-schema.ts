import { type SchemaObject } from 'ajv';
import { type TObject } from 'typebox';
import { definitionSchema } from './definition-schema.js';
import { type ErrorObject, Ajv2020 } from 'ajv/dist/2020.js';
import { didYouMean } from '../../lib/did-you-mean.js';
import { type Fault, faultAt } from './faults.js';
import { type JsonValue } from '../../workspace/definition-reader.js';

/** Everything about a plain document that docs/definition.schema.json refuses, in words. */
export function findSchemaFaults(document: JsonValue): Fault[] {
  return findSchemaErrors(document).map((error) => faultOf(error, document));
}

function faultOf(error: ErrorObject, document: JsonValue): Fault {
  const message = messages.get(error.keyword)?.(error) ?? error.message ?? 'is not as it should be';
  const keys = [...error.instancePath.split('/').slice(1).map(unescape), ...missingKey(error)];
  const last = keys.pop();
  if (last === undefined) return { path: '', line: 1, message };
  const holder = keys.reduce<JsonValue | undefined>(entry, document);
  return isObject(holder)
    ? faultAt(holder, Array.isArray(holder) ? Number(last) : last, message)
    : { path: '', line: 1, message };
}

// A fault of what a mapping lacks, or has too much, is that key's.
function missingKey({ params }: ErrorObject): string[] {
  const keys: unknown[] = [params.missingProperty, params.additionalProperty];
  return keys.filter((key) => typeof key === 'string');
}

function unescape(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function entry(holder: JsonValue | undefined, key: string): JsonValue | undefined {
  if (!isObject(holder)) return undefined;
  return Array.isArray(holder) ? holder[Number(key)] : holder[key];
}

function isObject(
  value: JsonValue | undefined,
): value is Exclude<JsonValue, string | number | boolean | null> {
  return typeof value === 'object' && value !== null;
}

const messages = new Map<string, (error: ErrorObject) => string>([
  ['required', ({ params, parentSchema }) => `is required${choicesOf(parentSchema, params.missingProperty)}`],
  ['dependentRequired', ({ params }) => `is required where ${String(params.property)} is given`],
  ['false schema', () => 'is not for what is removed'],
  [
    'additionalProperties',
    ({ params, parentSchema }) =>
      `is not known here${hintOf(String(params.additionalProperty), parentSchema)}`,
  ],
  [
    'type',
    ({ params, data, parentSchema }) =>
      `is not ${typeNames(params.type).join(' or ')}${wayToWrite(data, parentSchema)}`,
  ],
  [
    'enum',
    ({ params, data }) => {
      const allowed = asList(params.allowedValues).map(String);
      return `is not one of: ${allowed.join(', ')}${typeof data === 'string' ? didYouMean(data, allowed) : ''}`;
    },
  ],
  ['const', ({ params }) => `may only be ${String(params.allowedValue)}`],
  ['pattern', ({ parentSchema }) => commentOf(parentSchema)],
  [
    'minLength',
    ({ params }) => (params.limit === 1 ? 'is empty' : `is shorter than ${String(params.limit)} characters`),
  ],
  ['maxLength', ({ params }) => `is longer than ${String(params.limit)} characters`],
  ['minItems', () => 'is empty'],
  ['maxItems', ({ params }) => `has more than ${String(params.limit)} entries`],
  ['minimum', ({ params }) => `is less than ${String(params.limit)}`],
  ['exclusiveMinimum', ({ params }) => `is not more than ${String(params.limit)}`],
  ['maximum', ({ params }) => `is more than ${String(params.limit)}`],
]);

/** What the value of a key that is missing may be, where that is a choice of some. */
function choicesOf(schema: Schema | undefined, key: unknown): string {
  const choices = schema?.properties?.[String(key)]?.enum;
  return choices ? `, one of: ${choices.join(', ')}` : '';
}

/** How a text is written that stands where a list should be, or a mapping: by the keys that this must have. */
function wayToWrite(data: unknown, schema: Schema | undefined): string {
  const isScalar = typeof data === 'number' || typeof data === 'boolean';
  if (isScalar && asList(schema?.type).includes('string')) return ': quote it';
  if (data === null) return ': nothing is written there';
  if (typeof data !== 'string') return '';
  if (schema?.type === 'boolean') return flagMeant(data);
  const isWord = /^[\w @.+-]{1,100}$/.test(data);
  if (schema?.type === 'array') return isWord && schema.items?.type === 'string' ? `: write [${data}]` : '';
  const [key, ...others] = schema?.required ?? [];
  if (key === undefined || !schema?.properties) return '';
  if (isWord) return `: write { ${key}: ${data} }`;
  return others.length > 0 ? `: write { ${[key, ...others].map((each) => `${each}: …`).join(', ')} }` : '';
}

function flagMeant(text: string): string {
  const meant = /^(?:yes|on|y)$/i.test(text) ? true : /^(?:no|off|n)$/i.test(text) ? false : undefined;
  return meant === undefined ? '' : `: ${text} is a text in YAML 1.2, write ${String(meant)}`;
}

/** What may have been meant by a key that is not known: one that is spelled alike, or stands elsewhere, or any. */
function hintOf(key: string, schema: Schema | undefined): string {
  const properties = Object.entries(schema?.properties ?? {});
  const [inner] = properties.find(([, { properties: own = {} }]) => Object.hasOwn(own, key)) ?? [];
  if (inner !== undefined) return `: it stands within ${inner}`;
  const known = properties.map(([name]) => name);
  return didYouMean(key, known) || `, which takes: ${known.join(', ')}`;
}

const nouns = new Map<unknown, string>([
  ['string', 'a text'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a mapping'],
  ['null', 'null'],
]);

function typeNames(types: unknown): string[] {
  return asList(types).map((type) => nouns.get(type) ?? String(type));
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

// The schema explains its patterns in $comment.
function commentOf(schema: unknown): string {
  const explains = typeof schema === 'object' && schema !== null && '$comment' in schema;
  return explains && typeof schema.$comment === 'string' ? schema.$comment : 'is not well formed';
}

/** A schema, as far as messages tell of it. */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly type?: unknown;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
}

/** Checks a plain document by docs/definition.schema.json and tells everything that is wrong. */
function findSchemaErrors(document: JsonValue): ErrorObject[] {
  const validate = (compiled ??= compile());
  validate(document);
  return (validate.errors ?? []).filter((error) => !isToldElsewhere(error));
}

// What depends on the type of a field is for editors; `checkSettings` tells it in words.
function isToldElsewhere({ keyword, schemaPath, parentSchema }: ErrorObject): boolean {
  const isOfConstant = keyword === 'type' && parentSchema !== undefined && 'const' in parentSchema;
  return (
    keyword === 'if' ||
    isOfConstant ||
    (keyword === 'false schema' && !schemaPath.includes('/dependentSchemas/'))
  );
}

// Compiled when first needed: most processes never read a definition.
let compiled: ReturnType<typeof compile> | undefined;

function compile() {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true });
  ajv.addVocabulary(['enumDescriptions']);
  return ajv.compile(publishedSchema());
}

/** The JSON Schema of the document that people write (docs/definition.schema.json), in the form that editors understand best. */
export function publishedSchema(): SchemaObject {
  const about = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://workflow-task-service.invalid/definition.schema.json',
  };
  return { ...about, ...forEditors(writtenSchema()) };
}

/** The schema of the document that people write: what has a default may be left out. */
export function writtenSchema(): SchemaObject {
  return asWritten(definitionSchema) as SchemaObject;
}

/** The JSON Schema of a document after it was read: what has a default is always there. */
export function fullSchema(): SchemaObject {
  return { ...definitionSchema };
}

function asWritten(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asWritten);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, asWritten(value)] as const);
  const { properties, required, ...rest } = Object.fromEntries(entries) as Partial<TObject>;
  if (properties === undefined) return required === undefined ? rest : { ...rest, required };
  const needed = required?.filter((key) => !('default' in (properties[key] ?? {})));
  return { ...rest, ...(needed && needed.length > 0 && { required: needed }), properties };
}

/** A JSON Schema, as far as it matters here. */
interface Schema {
  readonly const?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
}

/**
 * A schema whose `oneOf` that a key such as `type` tells apart are conditions (`if`, `then`) instead: an editor offers all types, and
 * then what this one takes; and a fault is told of the branch that was meant, not of every other as well.
 */
function forEditors(schema: object): object {
  const entries = Object.entries(schema).map(([key, value]: [string, unknown]) => [key, converted(value)]);
  const { oneOf, discriminator, ...rest }: Schema = Object.fromEntries(entries) as Schema;
  if (oneOf && discriminator) return { ...rest, ...conditions(oneOf, discriminator.propertyName) };
  return { ...rest, ...(oneOf && { oneOf }) };
}

function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  return typeof value === 'object' && value !== null ? forEditors(value) : value;
}

/** What all branches take, with the choice of those by this key; then, for each, what is its own. */
function conditions(branches: readonly Schema[], by: string): object {
  const [first] = branches;
  const isCommon = (key: string): boolean =>
    branches.every(({ properties = {} }) => Object.hasOwn(properties, key));
  const common = Object.entries(first?.properties ?? {}).filter(([key]) => isCommon(key));
  return {
    required: first?.required?.filter(isCommon),
    properties: { ...Object.fromEntries(common), [by]: choiceOf(branches, by) },
    allOf: branches.map(({ required = [], properties, ...branch }) => ({
      if: { required: [by], properties: { [by]: { const: properties?.[by]?.const } } },
      then: {
        ...branch,
        required: required.filter((key) => !isCommon(key)),
        properties: { ...properties, ...Object.fromEntries(common.map(([key]) => [key, true])) },
      },
    })),
  };
}

function choiceOf(branches: readonly Schema[], by: string): object {
  const types = branches.map(({ title = '', description = '', properties }) => {
    const { const: name, title: heading } = properties?.[by] ?? {};
    return { name, heading, title, description };
  });
  return {
    title: types[0]?.heading,
    description: types.map(({ name, title }) => `${String(name)}: ${title}.`).join(' '),
    enum: types.map(({ name }) => name),
    enumDescriptions: types.map(({ title, description }) => `${title}. ${description}`),
  };
}
