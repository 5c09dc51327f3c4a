import { isStorable } from '../schema/text.js';
import { isAlias, isMap, isScalar, type ParsedNode, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { type Fault } from './definition-faults.js';
import { type JsonMapping, type JsonValue } from './json-value.js';
import { type Entry, join, setPlace } from './place.js';

/** The plain value of a document (every mapping and list knows its place), and what could not be taken over. */
export interface PlainDocument {
  readonly value: JsonValue;
  readonly faults: readonly Fault[];
}

type Node = ParsedNode | null;

interface Reading {
  readonly faults: Fault[];
  readonly lineAt: (offset: number) => number;
}

interface Spot {
  readonly path: string;
  readonly line: number;
}

/** Turns parsed YAML into plain values that know their places; what JSON cannot say is a fault. */
export function toPlain(contents: Node, lineAt: (offset: number) => number): PlainDocument {
  const reading = { faults: [], lineAt };
  return {
    value: readNode(contents, { path: '', line: lineOf(contents, 1, reading) }, reading),
    faults: reading.faults,
  };
}

const deepest = 64;

function readNode(node: Node, spot: Spot, reading: Reading, depth = 0): JsonValue {
  if (node === null) return null;
  if (isAlias(node)) return refuse('is an alias (*): write the value out', spot, reading);
  if (node.tag !== undefined && node.tag !== 'tag:yaml.org,2002:str')
    return refuse('has a tag (!)', spot, reading);
  if (depth > deepest) return refuse('is nested too deeply', spot, reading);
  if (isScalar(node)) return readScalar(node, spot, reading);
  return isMap(node) ? readMapping(node, spot, reading, depth) : readList(node, spot, reading, depth);
}

function refuse(message: string, { path, line }: Spot, { faults }: Reading): null {
  faults.push({ path, line, message });
  return null;
}

function readScalar({ value }: Scalar, spot: Spot, reading: Reading): JsonValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'string') return refuse('is not a value that can be kept', spot, reading);
  return isStorable(value) ? value : refuse('contains a character that cannot be stored', spot, reading);
}

function readMapping(node: YAMLMap.Parsed, spot: Spot, reading: Reading, depth: number): JsonMapping {
  const values = new Map<string, JsonValue>();
  const entries = new Map<string, Entry>();
  for (const { key, value } of node.items) {
    const line = lineOf(key, spot.line, reading);
    const name = readKey(key, { ...spot, line }, reading);
    if (name === undefined) continue;
    const at = { path: join(spot.path, name), line };
    const plain = readNode(value, at, reading, depth + 1);
    if (values.has(name)) refuse('is given twice', at, reading);
    else {
      values.set(name, plain);
      entries.set(name, entryOf(value, line));
    }
  }
  // Object.fromEntries keeps a key called __proto__ as a key of its own.
  return placed(Object.fromEntries(values), spot, entries);
}

function readKey(key: Node, spot: Spot, reading: Reading): string | undefined {
  const isPlain = isScalar(key) && key.tag === undefined;
  const name = isPlain ? (typeof key.value === 'string' ? key.value : key.source) : undefined;
  if (name !== undefined && isStorable(name)) return name;
  refuse('has a key that is not a text', spot, reading);
  return undefined;
}

function readList(node: YAMLSeq.Parsed, spot: Spot, reading: Reading, depth: number): JsonValue[] {
  const spots = node.items.map((item, index) => ({
    path: join(spot.path, index),
    line: lineOf(item, spot.line, reading),
  }));
  const entries = new Map(
    node.items.map((item, index) => [index, entryOf(item, spots[index]?.line ?? spot.line)]),
  );
  return placed(
    node.items.map((item, index) => readNode(item, spots[index] ?? spot, reading, depth + 1)),
    spot,
    entries,
  );
}

function placed<T extends object>(made: T, spot: Spot, entries: ReadonlyMap<string | number, Entry>): T {
  setPlace(made, { ...spot, entries });
  return made;
}

function entryOf(node: unknown, line: number): Entry {
  const isNumber = isScalar(node) && typeof node.value === 'number';
  return isNumber && node.source !== undefined ? { line, digits: node.source } : { line };
}

function lineOf(node: Node, otherwise: number, { lineAt }: Reading): number {
  return node === null ? otherwise : lineAt(node.range[0]);
}
