import { isDeepStrictEqual } from 'node:util';
import Type, { type TObject, type TSchema } from 'typebox';
import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { isMapping, type JsonMapping, type JsonValue } from '../../model/definition-reader.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type Kind } from '../../model/kind.js';
import { definitionSchema } from './definition-schema.js';
import { branchOf } from '../../model/names.js';

/** A definition's document as YAML 1.2 in the style of people: one line for each element of a list. */
export function renderYaml(document: JsonMapping): string {
  const rendered = new Document<YAMLMap, true>(undefined, style);
  rendered.contents = mappingNode(document, []);
  return rendered.toString(style);
}

/** An element of a list as YAML: each of its keys in a line. */
export function renderElement({ schema }: Pick<Kind, 'schema'>, spec: object): string {
  const element = said(schema.items, spec);
  return isMapping(element) ? renderYaml(element) : '';
}

const style = {
  lineWidth: 0,
  singleQuote: true,
  doubleQuotedAsJSON: true,
  // Editors with an older version of YAML read an unquoted `yes` or `on` as true.
  compat: 'yaml-1.1',
} as const;

// The keys that lead to a node. An element of a list has the path of the list.
type Path = readonly string[];
type Node = YAMLMap | YAMLSeq | Scalar;

// In these lists, each key of an element has a line of its own.
const spread = new Set([
  '',
  'workflows',
  'workflows/actions',
  'workflows/actions/requirements',
  'relationships',
  'webhooks',
  'calendars',
  'notifications',
]);
// The top-level keys, which follow an empty line except for the first.
const apart = new Set(Object.keys(definitionSchema.properties).slice(1));

function node(value: JsonValue, path: Path): Node {
  if (Array.isArray(value)) return listNode(value, path);
  if (isMapping(value)) return mappingNode(value, path);
  return scalar(typeof value === 'string' && isNumber(path, value) ? Number(value) : value);
}

// The settings of a field that hold values of its type.
const ofType = new Set(['default', 'min', 'max']);

/** Whether the text is a number in a setting that holds values of tasks: there, quotes make no difference. */
function isNumber([, second, third = '', fourth, ...more]: Path, text: string): boolean {
  const isOfField = second === 'fields' && ofType.has(third) && fourth === undefined;
  const isSet = second === 'actions' && third === 'steps' && fourth === 'set' && more.length === 1;
  return (isOfField || isSet) && /^-?\d[\d.]*$/.test(text) && String(Number(text)) === text;
}

function scalar(value: string | number | boolean | null): Scalar {
  const made = new Scalar(value);
  if (typeof value === 'string' && value.includes('\n') && !isReadable(value)) made.type = 'QUOTE_DOUBLE';
  return made;
}

function mappingNode(value: JsonMapping, path: Path): YAMLMap {
  const made = new YAMLMap<Scalar, Node>();
  for (const [key, item] of Object.entries(value)) {
    const name = scalar(key);
    if (path.length === 0 && apart.has(key)) name.spaceBefore = true;
    made.items.push(new Pair(name, node(item, [...path, key])));
  }
  made.flow = !spread.has(path.join('/')) && !hasLines(value);
  return made;
}

function listNode(value: readonly JsonValue[], path: Path): YAMLSeq {
  const made = new YAMLSeq<Node>();
  value.forEach((item, index) => {
    const element = node(item, path);
    if (index > 0 && path.length === 1 && path[0] === 'workflows') element.spaceBefore = true;
    made.items.push(element);
  });
  // A list of mappings has a line for each.
  made.flow = !value.some((item) => typeof item === 'object' && item !== null) && !hasLines([...value]);
  return made;
}

/** Whether it contains a text of several lines, which is most readable as a block. */
function hasLines(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes('\n') && isReadable(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLines);
}

/** Whether the text needs no quotes: invisible white space is only safe between them. */
function isReadable(text: string): boolean {
  return /^\S/.test(text) && !/[^\S\n](?:\n|$)|\n\n$|(?!\n)\p{Control}/u.test(text);
}

/** The document of a definition: keys in the order of the schema, without those that have their default value. */
export function exportDefinition({ workspace, ...others }: WorkspaceDefinition): JsonMapping {
  const { timezone } = workspace;
  const named = { ...workspace, timezone: timezone === 'UTC' ? undefined : timezone };
  return mappingSaid(definitionSchema, { workspace: named, ...others });
}

function said(schema: TSchema, value: unknown): JsonValue {
  if (Array.isArray(value) && Type.IsArray(schema)) return value.map((item) => said(schema.items, item));
  const described = typeof value === 'object' && value !== null ? describedBy(schema, value) : undefined;
  return described && value instanceof Object ? mappingSaid(described, value) : (value as JsonValue);
}

/** Object.fromEntries keeps a key `__proto__` as an own key. */
function mappingSaid({ properties }: TObject, mapping: object): JsonMapping {
  const entries = Object.entries(properties).flatMap(([key, schema]): [string, JsonValue][] => {
    const value: unknown = Reflect.get(mapping, key);
    return value === undefined || isDefault(schema, value) ? [] : [[key, said(schema, value)]];
  });
  return Object.fromEntries(entries);
}

/** An optional key has no default to leave out. */
function isDefault(schema: TSchema, value: unknown): boolean {
  return 'default' in schema && !Type.IsOptional(schema) && isDeepStrictEqual(value, schema.default);
}

/** The schema of a mapping; in a union, the schema of its kind. Undefined if the mapping may hold anything. */
function describedBy(schema: TSchema, value: object): TObject | undefined {
  const branch = branchOf(schema, value);
  return branch && Type.IsObject(branch) ? branch : undefined;
}
