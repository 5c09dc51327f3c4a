import {
  type Document,
  LineCounter,
  parseDocument as parseYaml,
  CST,
  Lexer,
  isAlias,
  isMap,
  isScalar,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { DefinitionFaults, type Fault, MAX_FAULTS } from './faults.js';
import { isStorable } from '../../../common/text.js';
import { toNfc } from '../../../../packages/exact-json/nfc.js';
import {
  type JsonMapping,
  type JsonValue,
  type MappingEntry,
  join,
  setPlace,
} from '../../model/definition-reader.js';

const MAX_LENGTH = 4_000_000;

/**
 * Parses a YAML 1.2 or JSON document, and yields between steps. Throws `DefinitionFaults` if the text cannot
 * be parsed.
 */
export function* parsingDocument(text: string, file: string): Generator<void, PlainDocument> {
  refuse(file, sizeFaults(text));
  yield;
  const lines = new LineCounter();
  const document = parseYaml(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  yield;
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  refuse(file, syntaxFaults(document, lineAt));
  return toPlain(document.contents, file, lineAt);
}

/** Gives a `SourcePlace` on line 1 to a document that was stored as JSON, and to all its parts. */
export function locate(value: JsonValue, path = ''): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  const entries = new Map<string | number, MappingEntry>();
  for (const [key, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    entries.set(key, { line: 1 });
    locate(item, join(path, key));
  }
  return setPlace(value, { path, line: 1, entries });
}

function refuse(file: string, faults: readonly Fault[]): void {
  if (faults.length > 0) throw new DefinitionFaults(file, faults);
}

function sizeFaults(text: string): Fault[] {
  if (text.length > MAX_LENGTH)
    return [{ path: '', line: 1, message: 'is longer than 4,000,000 characters' }];
  const fault = findExcess(text);
  return fault === undefined ? [] : [{ path: '', ...fault }];
}

function syntaxFaults(document: Document.Parsed, lineAt: (offset: number) => number): Fault[] {
  const { explicit, version } = document.directives.yaml;
  if (explicit === true && version !== '1.2') return [{ path: '', line: 1, message: 'is not YAML 1.2' }];
  // Only the first error is reported, because later errors usually follow from it.
  return document.errors.slice(0, 1).map(({ code, message, pos: [offset] }) => ({
    path: '',
    line: lineAt(offset),
    message: code === 'MULTIPLE_DOCS' ? 'begins a second document, but a file can hold only one' : message,
  }));
}

const limit = 500;

/**
 * Finds a line at which a YAML text may be nested too deeply for the recursive parser. Adds up the open
 * brackets, and the indentation and the indicators of the line. The true depth never exceeds this sum.
 */
function findExcess(text: string): Omit<Fault, 'path'> | undefined {
  let [line, open, width, isScalar, isIndentation] = [1, 0, 0, false, true];
  for (const token of new Lexer().lex(text)) {
    const type = isScalar ? null : CST.tokenType(token);
    isScalar = type === 'scalar';
    if (type === 'newline') [line, width, isIndentation] = [line + 1, 0, true];
    else if (type === 'space') width += isIndentation ? token.length : 0;
    else if (type === 'flow-map-start' || type === 'flow-seq-start')
      [open, isIndentation] = [open + 1, false];
    else if (type === 'flow-map-end' || type === 'flow-seq-end') open = Math.max(0, open - 1);
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind')
      width += isIndentation ? 1 : 0;
    else if (isScalar || type === 'alias') isIndentation = false;
    if (open + width > limit) return { line, message: 'is nested too deeply' };
  }
  return undefined;
}

/**
 * The plain value of a document, and the faults found in it. The mappings and lists in the value have a
 * `SourcePlace`.
 */
interface PlainDocument {
  readonly value: JsonValue;
  readonly faults: readonly Fault[];
}

type Node = ParsedNode | null;

interface Reading {
  readonly file: string;
  readonly faults: Fault[];
  readonly lineAt: (offset: number) => number;
}

interface Spot {
  readonly path: string;
  readonly line: number;
}

/** Converts parsed YAML to plain values with a `SourcePlace`. Reports what it refuses, such as aliases. */
function toPlain(contents: Node, file: string, lineAt: (offset: number) => number): PlainDocument {
  const reading = { file, faults: [], lineAt };
  return {
    value: readNode(contents, { path: '', line: lineOf(contents, 1, reading) }, reading),
    faults: reading.faults,
  };
}

const MAX_DEPTH = 64;

function readNode(node: Node, spot: Spot, reading: Reading, depth = 0): JsonValue {
  if (node === null) return null;
  if (isAlias(node)) return reportFault('is an alias (*): write the value out', spot, reading);
  if (node.tag !== undefined && node.tag !== 'tag:yaml.org,2002:str')
    return reportFault('has a tag (!): put a text that begins with ! in quotes', spot, reading);
  if (depth > MAX_DEPTH) return reportFault('is nested too deeply', spot, reading);
  if (isScalar(node)) return readScalar(node, spot, reading);
  return isMap(node) ? readMapping(node, spot, reading, depth) : readList(node, spot, reading, depth);
}

function reportFault(message: string, { path, line }: Spot, { file, faults }: Reading): null {
  faults.push({ path, line, message });
  if (faults.length > MAX_FAULTS) throw new DefinitionFaults(file, faults);
  return null;
}

function readScalar({ value }: Scalar, spot: Spot, reading: Reading): JsonValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'string') return reportFault('is a value that cannot be stored', spot, reading);
  return isStorable(value)
    ? toNfc(value)
    : reportFault('contains a character that cannot be stored', spot, reading);
}

function readMapping(node: YAMLMap.Parsed, spot: Spot, reading: Reading, depth: number): JsonMapping {
  const values = new Map<string, JsonValue>();
  const entries = new Map<string, MappingEntry>();
  for (const { key, value } of node.items) {
    const line = lineOf(key, spot.line, reading);
    const name = readKey(key, { ...spot, line }, reading);
    if (name === undefined) continue;
    const at = { path: join(spot.path, name), line };
    const plain = readNode(value, at, reading, depth + 1);
    if (values.has(name)) reportFault('is given twice', at, reading);
    else {
      values.set(name, plain);
      entries.set(name, entryOf(value, line));
    }
  }
  // Object.fromEntries keeps a key `__proto__` as an own key.
  return setPlace(Object.fromEntries(values), { ...spot, entries });
}

function readKey(key: Node, spot: Spot, reading: Reading): string | undefined {
  const isPlain = isScalar(key) && key.tag === undefined;
  const name = isPlain ? (typeof key.value === 'string' ? key.value : key.source) : undefined;
  if (name !== undefined && isStorable(name)) return toNfc(name);
  reportFault('has a key that is not a text: a text with {{…}} needs quotes', spot, reading);
  return undefined;
}

function readList(node: YAMLSeq.Parsed, spot: Spot, reading: Reading, depth: number): JsonValue[] {
  const entries = new Map<number, MappingEntry>();
  const items = node.items.map((item, index) => {
    const line = lineOf(item, spot.line, reading);
    entries.set(index, entryOf(item, line));
    return readNode(item, { path: join(spot.path, index), line }, reading, depth + 1);
  });
  return setPlace(items, { ...spot, entries });
}

function entryOf(node: unknown, line: number): MappingEntry {
  const isNumber = isScalar(node) && typeof node.value === 'number';
  return isNumber && node.source !== undefined ? { line, digits: node.source } : { line };
}

function lineOf(node: Node, otherwise: number, { lineAt }: Reading): number {
  return node === null ? otherwise : lineAt(node.range[0]);
}
