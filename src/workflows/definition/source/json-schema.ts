import { type SchemaObject } from 'ajv';
import { type TObject } from 'typebox';
import { definitionSchema } from './definition-schema.js';
import { type ErrorObject, Ajv2020 } from 'ajv/dist/2020.js';
import { isBlankText } from '../../../common/text.js';
import { didYouMean } from '../../../common/did-you-mean.js';
import { type Fault, faultAt, MAX_FAULTS } from './faults.js';
import { type JsonValue } from '../../model/definition-reader.js';

/**
 * Finds where a document violates docs/definition.schema.json. Returns faults with messages for people, at
 * most one fault more than `MAX_FAULTS`.
 */
export function findSchemaFaults(document: JsonValue): Fault[] {
  const errors = findSchemaErrors(document).slice(0, MAX_FAULTS + 1);
  return errors.map((error) => faultOf(error, document));
}

function faultOf(error: ErrorObject, document: JsonValue): Fault {
  const message = messages.get(error.keyword)?.(error) ?? error.message ?? 'is invalid';
  const keys = [...error.instancePath.split('/').slice(1).map(unescape), ...missingKey(error)];
  const last = keys.pop();
  if (last === undefined) return { path: '', line: 1, message };
  const holder = keys.reduce<JsonValue | undefined>(entry, document);
  return isObject(holder)
    ? faultAt(holder, Array.isArray(holder) ? Number(last) : last, message)
    : { path: '', line: 1, message };
}

// If a key is missing or unknown, or selects no branch of a union, the fault is reported at that key.
function missingKey({ params }: ErrorObject): string[] {
  const keys: unknown[] = [params.missingProperty, params.additionalProperty, params.tag];
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
  ['required', () => 'is required'],
  ['dependentRequired', ({ params }) => `is required if ${String(params.property)} is given`],
  ['false schema', () => 'is not allowed with removed: true'],
  [
    'additionalProperties',
    ({ params, parentSchema }) =>
      `is not known here${hintOf(String(params.additionalProperty), parentSchema)}`,
  ],
  ['type', ({ params }) => `is not ${typeNames(params.type).join(' or ')}`],
  ['enum', ({ params, data }) => isNoneOf(data, asList(params.allowedValues).map(String))],
  [
    'discriminator',
    ({ params, parentSchema }) => isNoneOf(params.tagValue, branchesOf(parentSchema, String(params.tag))),
  ],
  ['const', ({ params }) => `must be ${String(params.allowedValue)}`],
  ['pattern', ({ parentSchema }) => commentOf(parentSchema)],
  [
    'minLength',
    ({ data, schema }) => (isBlankText(data) ? 'is empty' : `is shorter than ${String(schema)} characters`),
  ],
  ['maxLength', ({ params }) => `is longer than ${String(params.limit)} characters`],
  ['minItems', () => 'is empty'],
  ['maxItems', ({ params }) => `has more than ${String(params.limit)} entries`],
  ['minimum', ({ params }) => `is less than ${String(params.limit)}`],
  ['exclusiveMinimum', ({ params }) => `is not more than ${String(params.limit)}`],
  ['maximum', ({ params }) => `is more than ${String(params.limit)}`],
]);

function isNoneOf(value: unknown, allowed: readonly string[]): string {
  return `is not one of: ${allowed.join(', ')}${typeof value === 'string' ? didYouMean(value, allowed) : ''}`;
}

/** The names of the branches of a union. Each branch has its name as a constant under this key. */
function branchesOf(schema: WrittenSchema | undefined, key: string): string[] {
  return (schema?.oneOf ?? []).map(({ properties }) => String(properties?.[key]?.const));
}

/** A hint for an unknown key: a similar key, or else all keys that the mapping may have. */
function hintOf(key: string, schema: WrittenSchema | undefined): string {
  const known = Object.keys(schema?.properties ?? {});
  return didYouMean(key, known) || `; known keys are: ${known.join(', ')}`;
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

// A schema explains its pattern in $comment.
function commentOf(schema: unknown): string {
  const explains = typeof schema === 'object' && schema !== null && '$comment' in schema;
  return explains && typeof schema.$comment === 'string' ? schema.$comment : 'is not well formed';
}

export interface WrittenSchema {
  readonly [keyword: string]: unknown;
  readonly const?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly oneOf?: readonly WrittenSchema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly properties?: Readonly<Record<string, WrittenSchema>>;
  readonly type?: string | readonly string[];
  readonly items?: WrittenSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly additionalProperties?: boolean | WrittenSchema;
}

function findSchemaErrors(document: JsonValue): ErrorObject[] {
  const validate = (compiled ??= compile());
  validate(document);
  return (validate.errors ?? []).filter((error) => !isToldElsewhere(error));
}

function isToldElsewhere({ keyword, params, parentSchema }: ErrorObject): boolean {
  const isOfConstant = keyword === 'type' && parentSchema !== undefined && 'const' in parentSchema;
  const isMissing = keyword === 'discriminator' && params.tagValue === undefined;
  return isOfConstant || isMissing;
}

// Compiled on first use, because most processes never read a definition.
let compiled: ReturnType<typeof compile> | undefined;

function compile() {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true, discriminator: true });
  // Unlike the standard keyword, this `minLength` refuses a text without visible characters.
  ajv.removeKeyword('minLength');
  ajv.addKeyword({
    keyword: 'minLength',
    type: 'string',
    schemaType: 'number',
    validate: (least: number, text: string) => text.length >= least && (least === 0 || !isBlankText(text)),
  });
  return ajv.compile(publishedSchema());
}

/** The JSON Schema that is published as docs/definition.schema.json. */
export function publishedSchema(): SchemaObject {
  const about = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://workflow-task-service.invalid/definition.schema.json',
  };
  return { ...about, ...writtenSchema() };
}

/** The JSON Schema of the document that people write. Keys with a default are optional in it. */
export function writtenSchema(): SchemaObject {
  return asWritten(definitionSchema) as SchemaObject;
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
