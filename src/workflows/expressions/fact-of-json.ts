import { isJsonList, type Json, type JsonObject, NumberLiteral } from '../../../packages/exact-json/json.js';
import { decimal } from './decimal.js';
import { type FactValue } from './expression.js';
import { ExpressionError } from './expression-error.js';

/** Converts JSON to values of expressions, with exact numbers. A number out of range stays a text. */
export function factOfJson(json: Json): FactValue {
  if (json instanceof NumberLiteral) return factOfNumber(json.text);
  if (isJsonList(json)) return json.map(factOfJson);
  if (!(json instanceof Map)) return json as null | boolean | string;
  return new Map([...(json as JsonObject)].map(([key, item]) => [key, factOfJson(item)]));
}

function factOfNumber(text: string): FactValue {
  try {
    return decimal(text);
  } catch (error) {
    if (error instanceof ExpressionError) return text;
    throw error;
  }
}
