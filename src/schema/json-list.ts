import { type Json } from './json.js';

/** Whether a JSON value is an array; `Array.isArray` alone would make its elements `any`. */
export function isJsonList(input: Json): input is readonly Json[] {
  return Array.isArray(input);
}
