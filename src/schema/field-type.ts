import { type TSchema } from 'typebox';
import { type Invalid } from './invalid.js';
import { type Json } from '../lib/json/json.js';
import { type StoredFile } from './file-value.js';
import { isEmptyText } from './text.js';

/** A value as the database keeps it: canonical, so that equal values are equal JSON. Blank is never stored. */
export type Stored = string | true | readonly string[] | readonly StoredFile[];

/** What a response may hold for a field. */
export type Output = string | boolean | null | readonly Output[] | { readonly [key: string]: Output };

/** A user of the workspace, as `person` fields and `Assigned To` see one. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly active: boolean;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
}

/** The users of a workspace; `find` takes an e-mail in any case. */
export interface Users {
  find(email: string): User | undefined;
  get(id: string): User | undefined;
  /** The ids of all, in the order of their e-mails by code point. */
  readonly ranked: readonly string[];
}

/** What a definition says about one field beyond its type, and the users that `person` needs. */
export interface FieldOptions {
  readonly decimals?: number;
  readonly options?: readonly string[];
  /** What it no longer has, but tasks may hold still. */
  readonly formerOptions?: readonly string[];
  readonly limit?: number;
  readonly autoincrement?: boolean;
  readonly users: Users;
}

/** How the values of one type of field behave. Add a type: one file in types/, one line in field-types.ts. */
export interface FieldType<S extends Stored = Stored> {
  /** What a field of this type may say in a definition beside what every field may; what is not optional it must. */
  readonly settings?: Readonly<Record<string, TSchema>>;
  /** Whether a field of this type can have a default: false where only a task can tell its value. */
  readonly takesDefault?: false;
  /** What a response holds when the field is blank. */
  readonly blank: Output;
  /** Whether this input (never null) means blank; `isEmptyText` unless the type says otherwise. */
  isBlank(input: Json): boolean;
  /** Reads an input that is not blank. `undefined` is blank too (an unticked checkbox). */
  parse(input: Json, options: FieldOptions): S | undefined | Invalid;
  /** Reads the text of a filter that is not blank; `undefined` matches blank. */
  parseFilter(text: string, options: FieldOptions): S | undefined | Invalid;
  serialize(stored: S, options: FieldOptions): Output;
  /** How stored values are ordered and compared. */
  order(options: FieldOptions): Order;
  /** The JSON Schema (OpenAPI 3.1) of the value in a response. */
  openapi(options: FieldOptions): object;
  /** The same of what a payload may send. */
  openapiInput(options: FieldOptions): object;
}

/** How the values of a key are ordered; blank is ordered only where a list ranks it. */
export type Order =
  /** By code point, as a decimal number, or as an instant in its canonical spelling. */
  | { readonly by: 'text' | 'number' | 'time' }
  /** By place in this list; what is not in it stands behind. */
  | { readonly by: 'rank'; readonly ranks: readonly Ranked[] }
  /** An array of what this list ranks, member by member. */
  | { readonly by: 'ranks'; readonly ranks: readonly string[] };

export type Ranked = string | number | true | null;

/** Reads an input of a field; `undefined` is blank, which no type is asked about. */
export function parseValue(
  type: FieldType,
  input: Json,
  options: FieldOptions,
): Stored | undefined | Invalid {
  return input === null || type.isBlank(input) ? undefined : type.parse(input, options);
}

/** Reads the text of a filter; `null` is blank. */
export function parseFilterValue(
  type: FieldType,
  text: string,
  options: FieldOptions,
): Stored | null | Invalid {
  return text === '' ? null : (type.parseFilter(text, options) ?? null);
}

/** A type whose stored value is a text: what it does not say itself is as for a plain string. */
export function textType(
  own: Pick<FieldType<string>, 'parse'> & Partial<FieldType<string>>,
): FieldType<string> {
  const openapi = own.openapi ?? ((): object => ({ type: ['string', 'null'] }));
  return {
    blank: null,
    isBlank: isEmptyText,
    parseFilter: (text, options) => own.parse(text, options),
    serialize: (stored) => stored,
    order: () => ({ by: 'text' }),
    openapi,
    openapiInput: openapi,
    ...own,
  };
}
