import { isDeepStrictEqual } from 'node:util';
import Type, { type TObject, type TSchema } from 'typebox';
import { Document, Pair, Scalar, type ScalarTag, YAMLMap, YAMLSeq } from 'yaml';
import { isMapping, type JsonMapping, type JsonValue } from '../../model/definition-reader.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type Kind } from '../../model/kind.js';
import { definitionSchema } from './definition-schema.js';
import { branchOf } from '../../model/names.js';

/** A definition's document as YAML 1.2 in the style of people: one line for each element of a list. */
export function renderYaml(document: JsonMapping): string {
  const rendered = new Document<YAMLMap, true>(undefined, { ...style, customTags: [verbatim, inline] });
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
  // An empty list is written in one line; a list of mappings has a line for each.
  made.flow = value.length === 0;
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

function isInline(value: readonly JsonValue[]): value is (string | number | boolean | null)[] {
  return value.every((item) => typeof item !== 'object' || item === null) && !hasLines([...value]);
}

// The settings of a field that hold values of its type.
const exact = new Set(['default', 'min', 'max']);

/** Whether a text is a number in a setting that holds values of tasks: quotes make no difference there. */
function mayBeNumber(path: Path, text: string): boolean {
  const [first, second, third, fourth] = path;
  const isOfField = path.length === 3 && second === 'fields' && exact.has(third ?? '');
  const isSet = path.length === 5 && second === 'actions' && third === 'steps' && fourth === 'set';
  return first === 'workflows' && (isOfField || isSet) && /^-?(?:0|[1-9]\d{0,37})(?:\.\d{1,38})?$/.test(text);
}

/** A text that is written without quotes, such as a number with all its digits. */
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

/** A list such as `[New, In Review]`, without spaces inside the brackets. */
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
