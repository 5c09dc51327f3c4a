import { type Output } from './field-type.js';
import { isJsonList } from './json-list.js';
import { type Json } from './json.js';

/** Whether a request's value is the very one that a response held. */
export function sameJson(input: Json, output: Output): boolean {
  if (isJsonList(input)) return isOutputList(output) && sameLists(input, output);
  if (input instanceof Map && output !== null && typeof output === 'object')
    return sameEntries(input, Object.entries(output));
  return input === output;
}

function isOutputList(output: Output): output is readonly Output[] {
  return Array.isArray(output);
}

function sameLists(input: readonly Json[], output: readonly Output[]): boolean {
  return (
    input.length === output.length &&
    input.every((element, index) => sameJson(element, output[index] ?? null))
  );
}

function sameEntries(input: ReadonlyMap<string, Json>, output: [string, Output][]): boolean {
  return (
    input.size === output.length &&
    output.every(([key, value]) => input.has(key) && sameJson(input.get(key) ?? null, value))
  );
}
