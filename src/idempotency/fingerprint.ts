import { createHash } from 'node:crypto';
import { isJsonList } from '../schema/json-list.js';
import { type Json, type JsonObject, NumberLiteral } from '../schema/json.js';

/** A hash of what a request asks for: its target and its body, whatever the order of keys and the white space. */
export function fingerprint(target: readonly string[], body: Json): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([target, plain(body)]))
    .digest();
}

/** A value in plain arrays that no other value has. */
function plain(value: Json): unknown {
  if (value instanceof NumberLiteral) return ['number', value.text];
  if (value instanceof Map) {
    const object: JsonObject = value;
    return ['object', [...object].sort(byKey).map(([key, item]) => [key, plain(item)])];
  }
  return isJsonList(value) ? ['array', value.map(plain)] : value;
}

function byKey([a]: [string, Json], [b]: [string, Json]): number {
  return a < b ? -1 : 1;
}
