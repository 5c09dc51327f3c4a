import { isDeepStrictEqual } from 'node:util';
import Type, { type TObject, type TSchema } from 'typebox';
import { Document, Pair, Scalar, type ScalarTag, YAMLMap, YAMLSeq } from 'yaml';
import { isMapping, type JsonMapping, type JsonValue } from '../../workspace/definition-reader.js';
import { type WorkspaceDefinition } from '../../workspace/definition.js';
import { definitionSchema, stepSchemas } from './definition-schema.js';

/** A definition's document as YAML 1.2 in the style that people write: one line for each thing of a list. */
export function renderYaml(document: JsonMapping): string {
  const rendered = new Document<YAMLMap, true>(undefined, { ...style, customTags: [verbatim, inline] });
  rendered.contents = mappingNode(document, []);
  return rendered.toString(style);
}

const style = {
  lineWidth: 0,
  singleQuote: true,
  // Editors with an older YAML read `yes` and `on` as true.
  compat: 'yaml-1.1',
} as const;

// The keys that lead to a node; an element of a list has the path of the list.
type Path = readonly string[];
type Node = YAMLMap | YAMLSeq | Scalar;

// Elements of these lists have a line for each of their keys.
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
// An empty line stands before these keys.
const apart = new Set([
  'users',
  'workflows',
  'relationships',
  'webhooks',
  'channels',
  'calendars',
  'views',
  'notifications',
]);

function node(value: JsonValue, path: Path): Node {
  if (Array.isArray(value)) return isInline(value) ? new Scalar(new Inline(value)) : listNode(value, path);
  if (isMapping(value)) return mappingNode(value, path);
  return typeof value === 'string' && mayBeNumber(path, value)
    ? new Scalar(new Verbatim(value))
    : scalar(value);
}

function scalar(value: string | number | boolean | null): Scalar {
  const isHard = typeof value === 'string' && value.includes('\n') && !isReadable(value);
  return new Scalar(isHard ? new Verbatim(JSON.stringify(value)) : value);
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
  // Empty or within one line; a list of things stands in lines.
  made.flow = value.length === 0;
  return made;
}

/** Whether a text of several lines is in it, which is best read as such. */
function hasLines(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes('\n') && isReadable(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLines);
}

/** White space that nobody sees is safe between quotes only. */
function isReadable(text: string): boolean {
  return /^\S/.test(text) && !/[^\S\n](?:\n|$)|\n\n$|(?!\n)\p{Control}/u.test(text);
}

function isInline(value: readonly JsonValue[]): value is (string | number | boolean | null)[] {
  return value.every((item) => typeof item !== 'object' || item === null) && !hasLines([...value]);
}

// What fields say of their values.
const exact = new Set(['default', 'min', 'max']);

/** Values of tasks that a definition holds are kept as texts, and read alike with and without quotes. */
function mayBeNumber(path: Path, text: string): boolean {
  const [first, second, third, fourth] = path;
  const isOfField = path.length === 3 && second === 'fields' && exact.has(third ?? '');
  const isSet = path.length === 5 && second === 'actions' && third === 'steps' && fourth === 'set';
  return first === 'workflows' && (isOfField || isSet) && /^-?(?:0|[1-9]\d{0,37})(?:\.\d{1,38})?$/.test(text);
}

/** What stands in the file as it is here, such as a number of which every digit is to be seen. */
class Verbatim {
  constructor(readonly text: string) {}
}

const verbatim: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => value instanceof Verbatim,
  resolve: (text) => text,
  stringify: ({ value }) => (value instanceof Verbatim ? value.text : ''),
};

/** A list such as `[New, In Review]`, with no space within its brackets. */
class Inline {
  constructor(readonly items: readonly (string | number | boolean | null)[]) {}
}

const inline: ScalarTag = {
  tag: 'tag:yaml.org,2002:seq',
  default: true,
  identify: (value) => value instanceof Inline,
  resolve: (text) => text,
  stringify: ({ value }) => (value instanceof Inline ? renderInline(value) : ''),
};

function renderInline({ items }: Inline): string {
  const list = new YAMLSeq();
  list.items.push(...items.map(scalar));
  list.flow = true;
  const document = new Document<YAMLSeq, true>(undefined, { ...style, customTags: [verbatim] });
  document.contents = list;
  return document.toString({ ...style, flowCollectionPadding: false }).trimEnd();
}

/** The document that says this definition: keys in the order of the schema, and nothing that is as by default. */
export function exportDefinition({ workspace, ...others }: WorkspaceDefinition): JsonMapping {
  const { timezone } = workspace;
  const named = { ...workspace, timezone: timezone === 'UTC' ? undefined : timezone };
  return mappingSaid(definitionSchema, { workspace: named, ...others });
}

function said(schema: TSchema, value: unknown): JsonValue {
  if (Array.isArray(value) && Type.IsArray(schema)) return value.map((item) => said(schema.items, item));
  const described = typeof value === 'object' && value !== null ? branchOf(schema, value) : undefined;
  return described && value instanceof Object ? mappingSaid(described, value) : (value as JsonValue);
}

/** Object.fromEntries keeps a key called __proto__ as a key of its own. */
function mappingSaid({ properties }: TObject, mapping: object): JsonMapping {
  const entries = Object.entries(properties).flatMap(([key, schema]): [string, JsonValue][] => {
    const value: unknown = Reflect.get(mapping, key);
    return value === undefined || isDefault(schema, value) ? [] : [[key, said(schema, value)]];
  });
  return Object.fromEntries(entries);
}

/** What is optional is not filled in when it is read, so it stays as it was said. */
function isDefault(schema: TSchema, value: unknown): boolean {
  return 'default' in schema && !Type.IsOptional(schema) && isDeepStrictEqual(value, schema.default);
}

/** What a schema says of a mapping: of steps, that of its type; undefined where it may hold anything. */
function branchOf(schema: TSchema, value: object): TObject | undefined {
  if (Type.IsObject(schema)) return schema;
  return 'type' in value && 'discriminator' in schema ? stepSchemas.get(String(value.type)) : undefined;
}
