import { createHash } from 'node:crypto';
import { isJsonList } from '../schema/json-list.js';
import { type Json, type JsonObject, NumberLiteral } from '../schema/json.js';
import { turn } from '../turn.js';

/**
 * A hash of what a request asks for: its target and its body, whatever the order of keys and the white space. Others have
 * their turn while a long body is hashed.
 */
export async function fingerprint(target: readonly string[], body: Json): Promise<Buffer> {
  const hash = createHash('sha256');
  let text = `[${JSON.stringify(target)},`;
  for (const piece of pieces(body)) {
    text += piece;
    if (text.length < pieceLength) continue;
    hash.update(text);
    text = '';
    await turn();
  }
  return hash.update(`${text}]`).digest();
}

const pieceLength = 2 ** 18;

/** The JSON of a value in plain arrays that no other value has. */
function* pieces(value: Json): Generator<string> {
  if (value instanceof NumberLiteral) yield JSON.stringify(['number', value.text]);
  else if (value instanceof Map) yield* piecesOfObject(value);
  else if (isJsonList(value)) yield* piecesOfList(value);
  else if (typeof value === 'string') yield* piecesOfText(value);
  else yield JSON.stringify(value);
}

function* piecesOfObject(object: JsonObject): Generator<string> {
  yield '["object",[';
  let comma = '';
  for (const [key, item] of [...object].sort(byKey)) {
    yield `${comma}[${JSON.stringify(key)},`;
    yield* pieces(item);
    yield ']';
    comma = ',';
  }
  yield ']]';
}

function* piecesOfList(list: readonly Json[]): Generator<string> {
  yield '["array",[';
  let comma = '';
  for (const item of list) {
    yield comma;
    yield* pieces(item);
    comma = ',';
  }
  yield ']]';
}

function* piecesOfText(text: string): Generator<string> {
  yield '"';
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + pieceLength;
    // A pair of surrogates is one character.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
  }
  yield '"';
}

function byKey([a]: [string, Json], [b]: [string, Json]): number {
  return a < b ? -1 : 1;
}
