import { type SchemaObject } from 'ajv';
import { type TObject } from 'typebox';
import { definitionSchema } from './definition-schema.js';
import { type ErrorObject, Ajv2020 } from 'ajv/dist/2020.js';
import { type Fault, faultAt } from './faults.js';
import { type JsonValue } from '../../workspace/shape.js';

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
  ['dependentRequired', ({ params }) => `is required where ${String(params.property)} is given`],
  ['false schema', () => 'is not for what is removed'],
  ['additionalProperties', () => 'is not known here'],
  ['type', ({ params }) => `is not ${typeNames(params.type).join(' or ')}`],
  ['enum', ({ params }) => `is not one of: ${asList(params.allowedValues).join(', ')}`],
  ['const', ({ params }) => `is not ${String(params.allowedValue)}`],
  ['discriminator', ({ params }) => (params.error === 'mapping' ? 'is not a type of step' : 'is required')],
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

/** Checks a plain document by docs/definition.schema.json and tells everything that is wrong. */
function findSchemaErrors(document: JsonValue): ErrorObject[] {
  const validate = (compiled ??= compile());
  validate(document);
  return (validate.errors ?? []).filter((error) => !isToldElsewhere(error));
}

// What depends on the type of a field is for editors; `checkSettings` tells it in words.
function isToldElsewhere({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword === 'if' || (keyword === 'false schema' && !schemaPath.includes('/dependentSchemas/'));
}

// Compiled when first needed: most processes never read a definition.
let compiled: ReturnType<typeof compile> | undefined;

function compile() {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, discriminator: true, allowUnionTypes: true });
  return ajv.compile(publishedSchema());
}

/**
 * The JSON Schema of the document that people write (docs/definition.schema.json): what has a default may be left out.
 */
export function publishedSchema(): SchemaObject {
  const about = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://workflow-task-service.invalid/definition.schema.json',
  };
  return { ...about, ...(asWritten(definitionSchema) as object) };
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
