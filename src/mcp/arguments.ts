import { nearest, suggestion } from '../common/did-you-mean.js';
import { FieldErrors, invalidField } from '../common/field-errors.js';
import { type Message, say } from '../common/message.js';
import { isBlankText, isStorable } from '../common/text.js';
import { isJsonList, type Json, type JsonObject, NumberLiteral } from '../../packages/exact-json/json.js';

export interface Declared {
  /** The arguments in the order in which clients list them. */
  readonly arguments: Readonly<Record<string, Argument>>;
  readonly required: readonly string[];
}

export interface Argument {
  readonly type: ArgumentType;
  readonly says?: string;
}

type ArgumentType = 'string' | 'boolean' | 'integer' | 'object' | 'array';

export class Arguments {
  constructor(readonly given: JsonObject) {}

  text(name: string): string {
    return this.optional(name) ?? '';
  }

  /** Returns a text, or a number as it was written; undefined if the argument is absent or null. */
  optional(name: string): string | undefined {
    return textIn(this.given.get(name) ?? null);
  }

  /** The idempotency key: a repeated call with the same key has no further effect. */
  get key(): string | undefined {
    const key = this.optional('key');
    if (key === undefined || (key !== '' && key.length <= 255)) return key;
    throw invalidField('key', 'must have 1 to 255 characters');
  }

  flag(name: string): boolean {
    return this.given.get(name) === true;
  }

  object(name: string): JsonObject | undefined {
    const value = this.given.get(name);
    return value instanceof Map ? (value as JsonObject) : undefined;
  }

  /** Returns a list of texts. A single text becomes a list with one text. */
  list(name: string): string[] {
    const value = this.given.get(name) ?? [];
    return (isJsonList(value) ? value : [value]).flatMap((each) => textIn(each) ?? []);
  }
}

/** Parses the arguments of a tool; throws all errors at once. */
export function readArguments({ arguments: known, required }: Declared, given: JsonObject): Arguments {
  const errors = new FieldErrors();
  for (const [name, value] of given) {
    const argument = Object.hasOwn(known, name) ? known[name] : undefined;
    const fault = argument ? faultIn(argument, value) : notKnown(name, Object.keys(known));
    if (fault !== undefined) errors.add(name, fault);
  }
  for (const name of required) if (isBlankText(given.get(name) ?? '')) errors.add(name, 'is required');
  errors.throwIfAny();
  return new Arguments(given);
}

const notKnown = (name: string, known: readonly string[]): Message =>
  say`is not an argument of this tool${suggestion(nearest(name, known))}; it takes: ${known.join(', ')}`;

function faultIn({ type }: Argument, value: Json): string | undefined {
  return value === null || isOf[type](value) ? undefined : `is not ${article[type]}`;
}

const isText = (value: Json): boolean => textIn(value) !== undefined;
const isOf: Record<ArgumentType, (value: Json) => boolean> = {
  string: isText,
  boolean: (value) => typeof value === 'boolean',
  integer: isText,
  object: (value) => value instanceof Map,
  array: (value) => (isJsonList(value) ? value.every(isText) : isText(value)),
};

const article: Record<ArgumentType, string> = {
  string: 'a text',
  boolean: 'true or false',
  integer: 'a whole number',
  object: 'an object',
  array: 'a list of texts',
};

export function textIn(value: Json): string | undefined {
  if (value instanceof NumberLiteral) return value.text;
  return typeof value === 'string' && isStorable(value) ? value : undefined;
}

/** Converts filters to query parameters. A list means any of its values; null means blank. */
export function parametersOf(filters: JsonObject | undefined): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of filters ?? [])
    for (const each of isJsonList(value) ? value : [value]) {
      const text = each === null ? '' : typeof each === 'boolean' ? String(each) : textIn(each);
      if (text === undefined || name.startsWith('_')) throw invalidField(name, 'is not a filter of a field');
      query.append(name, text);
    }
  return query;
}

/** Converts JSON to plain JavaScript. A number that JavaScript would write differently becomes a text. */
function plainOf(value: Json): unknown {
  if (value instanceof NumberLiteral) {
    const number = Number(value.text);
    return String(number) === value.text ? number : value.text;
  }
  if (value instanceof Map) return plainObject(value as JsonObject);
  return isJsonList(value) ? value.map(plainOf) : value;
}

/** Converts an object to a plain object, in which `__proto__` is an ordinary key. */
export function plainObject(value: JsonObject): Record<string, unknown> {
  return Object.fromEntries(Array.from(value, ([key, item]) => [key, plainOf(item)]));
}
