import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { Invalid, type SettingFault } from './invalid.js';
import { type Json } from '../../packages/exact-json/json.js';
import { type StoredFile } from './file-value.js';
import { isEmptyText } from './text-rules.js';
import { type ValueKind } from '../lib/value-kind.js';

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
  /** When they are away, and who decides for them meanwhile. */
  readonly away?: Absence | null;
}

/** From a day until another, which is not part of it; `to` is an e-mail. */
export interface Absence {
  readonly from: string;
  readonly until: string;
  readonly to: string;
}

/** The users of a workspace; `find` takes an e-mail in any case. */
export interface Users {
  find(email: string): User | undefined;
  get(id: string): User | undefined;
  /** The ids of all, in the order of their e-mails by code point. */
  readonly ranked: readonly string[];
}

/** What a definition says about one field beyond its type (settings of other types are not there), and its users. */
export type FieldOptions<Settings = Readonly<Record<string, unknown>>> = Settings & {
  readonly users: Users;
  /** Of the setting `options`: what it no longer has, but tasks may hold still. */
  readonly formerOptions?: readonly string[];
};

/** Where the values of a type live: with the task's others, in the column of Unique IDs, or as files in the store. */
export type Storage = 'values' | 'column' | 'blobs';

/** One type of field, whole. Add a type: one file in types/, one line in field-types.ts. */
export interface FieldType<S extends Stored = Stored, Settings extends object = object> {
  /**
   * What a field of this type may say in a definition beside what every field may; what is not optional it must. The
   * title and description are those of the type; the example is a field's name and settings.
   */
  readonly settings: TObject;
  /** A value as a payload may send it, and as a response then shows it. */
  readonly example: Example;
  readonly storage: Storage;
  /** Whether a field of this type can have a default: false where only a task can tell its value. */
  readonly takesDefault: boolean;
  /** Whether values are texts that people search for words. */
  readonly isSearched: boolean;
  /** What expressions take a value for: a text, unless the type says otherwise. */
  readonly expressionKind: ValueKind;
  /** What a response holds when the field is blank. */
  readonly blank: Output;
  /** What is wrong with the settings beyond their schema. */
  settingFaults?(settings: Settings): readonly SettingFault[];
  /** Whether a new task that brings no value gets one, by these settings. */
  numbers?(settings: Settings): boolean;
  /** Whether this input (never null) means blank; `isEmptyText` unless the type says otherwise. */
  isBlank(input: Json): boolean;
  /** Reads an input that is not blank. `undefined` is blank too (an unticked checkbox). */
  parse(input: Json, options: FieldOptions<Settings>): S | undefined | Invalid;
  /** Why a value of the type breaks the rules of the definition. What tasks hold already is not asked. */
  validate?(stored: S, settings: Settings): Invalid | undefined;
  /** Reads the text of a filter that is not blank; `undefined` matches blank. */
  parseFilter(text: string, options: FieldOptions<Settings>): S | undefined | Invalid;
  serialize(stored: S, options: FieldOptions<Settings>): Output;
  /** A value as expressions read it, a number as its decimal text; absent where it is what a response holds. */
  expressionValue?(stored: S, options: FieldOptions<Settings>): Output;
  /** How an index keeps the order of stored values; absent where no index can. */
  readonly indexedAs?: IndexKind | undefined;
  /** How stored values are ordered and compared. */
  order(options: FieldOptions<Settings>): Order;
  /** The options under which a stored value may be sent back, whatever the definition has become since. */
  lenient?(options: FieldOptions<Settings>, stored: S): FieldOptions<Settings>;
  /** Whether values that a field takes by the settings `from` may be refused by the settings `to`. */
  narrows?(from: Settings, to: Settings): boolean;
  /** A stored value by other settings; else it is read anew from what a response shows of it. */
  restate?(stored: S, options: FieldOptions<Settings>): S | Invalid;
  /** How the value of a field of another type, as a response shows it, may be sent to one of this type. */
  spellings?(shown: Json): readonly Json[] | undefined;
  /** How pages show a value, and by what they ask for one. */
  show(options: FieldOptions<Settings>): ShownField;
  ask(options: FieldOptions<Settings>): AskedField;
  /** The JSON Schema (OpenAPI 3.1) of the value in a response. */
  openapi(options: FieldOptions<Settings>): object;
  /** The JSON Schema of the value in a payload. */
  openapiInput(options: FieldOptions<Settings>): object;
}

export interface Example {
  readonly sent: unknown;
  readonly shown: unknown;
}

type Behaviour<S extends Stored, Settings extends object> = Omit<
  FieldType<S, Settings>,
  'settings' | OwnFacts
> &
  Partial<Pick<FieldType, OwnFacts>>;

/** What a type only says where it is not as usual. */
type OwnFacts = 'storage' | 'takesDefault' | 'isSearched' | 'expressionKind';

const usual = {
  storage: 'values',
  takesDefault: true,
  isSearched: false,
  expressionKind: 'text',
} as const;

/** A type whose settings have the types that its schema gives them. */
export function fieldType<S extends Stored, Properties extends TProperties>(
  settings: TObject<Properties>,
  type: Behaviour<S, Static<TObject<Properties>>>,
): FieldType<S, Static<TObject<Properties>>> {
  return { ...usual, ...type, settings };
}

/** The schema of a type that has no settings; `name` is that of a field in its example. */
export function plain(title: string, description: string, name: string) {
  return Type.Object({}, { title, description, examples: [{ name }] });
}

/** How the values of a key are ordered; blank is ordered only where a list ranks it. */
export type Order =
  /** By code point, as a decimal number, or as an instant in its canonical spelling. */
  | { readonly by: 'text' | 'number' | 'time' }
  /** By place in this list; what is not in it stands behind. */
  | { readonly by: 'rank'; readonly ranks: readonly Ranked[] }
  /** An array of what this list ranks, member by member. */
  | { readonly by: 'ranks'; readonly ranks: readonly string[] };

/** By what a text begins with, as a decimal number, or by values whose order a list says. */
export type IndexKind = 'text' | 'number' | 'exact';

/** The index of a field that has one. */
export interface FieldIndex {
  readonly fieldId: string;
  readonly kind: IndexKind;
}

export type Ranked = string | number | true | null;

/** Reads an input of a field by the rules of the definition; `undefined` is blank, which no type is asked about. */
export function parseValue(
  type: FieldType,
  input: Json,
  options: FieldOptions,
): Stored | undefined | Invalid {
  const value = readValue(type, input, options);
  if (value === undefined || value instanceof Invalid) return value;
  return type.validate?.(value, options) ?? value;
}

/** Reads a value, without the rules of its field. */
export function readValue(type: FieldType, input: Json, options: FieldOptions): Stored | undefined | Invalid {
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
export function textType<Properties extends TProperties>(
  settings: TObject<Properties>,
  own: Pick<Behaviour<string, Static<TObject<Properties>>>, 'parse' | 'example'> &
    Partial<Behaviour<string, Static<TObject<Properties>>>>,
): FieldType<string, Static<TObject<Properties>>> {
  const openapi = own.openapi ?? ((): object => ({ type: ['string', 'null'] }));
  return fieldType(settings, {
    blank: null,
    isBlank: isEmptyText,
    parseFilter: (text, options) => own.parse(text, options),
    serialize: (stored) => stored,
    show: () => ({ as: 'line' }),
    ask: () => ({ by: 'line' }),
    order: () => ({ by: 'text' }),
    indexedAs: 'text',
    openapi,
    openapiInput: openapi,
    ...own,
  });
}

/** How people see a value that is not blank: pages have one part for each of these. */
export type ShownField =
  | { readonly as: 'line' | 'lines' | 'day' | 'instant' | 'tick' | 'person' | 'tags' | 'files' }
  /** With so many decimal places at least. */
  | { readonly as: 'number'; readonly decimals?: number }
  /** Leads to where the value says: an address on the Web, or one behind this scheme. */
  | { readonly as: 'address'; readonly scheme?: 'mailto:' | 'tel:' };

/** By what people enter a value: pages have one control for each of these. */
export type AskedField =
  | { readonly by: 'line'; readonly type?: 'email' | 'tel' | 'url'; readonly maxLength?: number }
  | { readonly by: 'lines'; readonly maxLength?: number }
  | { readonly by: 'day'; readonly min?: string; readonly max?: string }
  | { readonly by: 'number' | 'instant' | 'tick' | 'person' }
  | { readonly by: 'option'; readonly options: readonly string[]; readonly isRequired?: boolean }
  | { readonly by: 'options'; readonly options: readonly string[] }
  | { readonly by: 'files'; readonly limit: number | undefined };
