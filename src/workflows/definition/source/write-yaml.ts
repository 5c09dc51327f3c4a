import { isDeepStrictEqual } from 'node:util';
import Type, { type TObject, type TSchema } from 'typebox';
import { Document, isMap, isPair, isScalar, isSeq, type Node, type Scalar, visit } from 'yaml';
import { type JsonMapping, type JsonValue } from '../../model/definition-reader.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type Kind } from '../../model/kind.js';
import { definitionSchema } from './definition-schema.js';
import { branchOf } from '../../model/names.js';

/** Renders the document of a definition as YAML 1.2, with an empty line between top-level keys. */
export function renderYaml(document: JsonMapping): string {
  const rendered = new Document<Node>(document, compatible);
  const keys = isMap<Scalar>(rendered.contents) ? rendered.contents.items.map(({ key }) => key) : [];
  for (const key of keys.slice(1)) key.spaceBefore = true;
  return inStyle(rendered);
}

/**
 * Renders an element of a list as YAML 1.2, for people to read. Unlike older versions, YAML 1.2 needs no
 * quotes around `on`.
 */
export const renderElement = ({ schema }: Pick<Kind, 'schema'>, spec: object): string =>
  inStyle(new Document(said(schema.items, spec), { aliasDuplicateObjects: false }));

/**
 * Renders a document. An inner mapping or list is written on one line if it contains no mapping and no line
 * break.
 */
function inStyle(document: Document): string {
  visit(document, {
    Collection(_, node) {
      const values = node.items.map((item) => (isPair(item) ? item.value : item));
      if (node !== document.contents) node.flow = values.every(isPlain);
    },
    Scalar(_, node) {
      if (hasLines(node) && !isReadable(String(node.value))) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0, singleQuote: true, doubleQuotedAsJSON: true });
}

// Editors with an older version of YAML read an unquoted `yes` or `on` as true.
const compatible = { compat: 'yaml-1.1', aliasDuplicateObjects: false } as const;

const isPlain = (node: unknown): boolean =>
  isSeq(node) ? node.items.every(isPlain) : isScalar(node) && !hasLines(node);

const hasLines = ({ value }: Scalar): boolean => typeof value === 'string' && value.includes('\n');

/**
 * Whether people can read a text of several lines without quotes. White space at the ends of lines is visible
 * only in quotes.
 */
const isReadable = (text: string): boolean =>
  /^\S/.test(text) && !/[^\S\n](?:\n|$)|\n\n$|(?!\n)\p{Control}/u.test(text);

/**
 * Makes the document of a definition. Keys are in the order of the schema. Keys with their default value are
 * left out.
 */
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

/** Puts keys in the order of the schema, and leaves out default values. */
function mappingSaid({ properties }: TObject, mapping: object): JsonMapping {
  const entries = Object.entries(properties).flatMap(([key, schema]): [string, JsonValue][] => {
    const value: unknown = Reflect.get(mapping, key);
    return value === undefined || isDefault(schema, value) ? [] : [[key, said(schema, value)]];
  });
  return Object.fromEntries(entries);
}

/** Whether the reader fills in this value by default. For an optional key, the reader fills in no value. */
function isDefault(schema: TSchema, value: unknown): boolean {
  return 'default' in schema && !Type.IsOptional(schema) && isDeepStrictEqual(value, schema.default);
}

/** The schema of a mapping, or of its branch in a union. Undefined if this schema lists no keys. */
function describedBy(schema: TSchema, value: object): TObject | undefined {
  const branch = branchOf(schema, value);
  return branch && Type.IsObject(branch) ? branch : undefined;
}
