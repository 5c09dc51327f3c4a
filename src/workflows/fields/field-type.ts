import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { Invalid, type SettingFault } from './invalid.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { type StoredFile } from './file-value.js';
import { isBlankText } from '../../common/text.js';
import { type ValueKind } from '../../common/column-values.js';

/** A value as stored: canonical, so that equal values are equal JSON. Blank is never stored. */
export type Stored = string | true | readonly string[] | readonly StoredFile[];

export type Output = string | boolean | null | readonly Output[] | { readonly [key: string]: Output };

/** A user of the workspace, as `person` fields and `Assigned To` see one. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly active: boolean;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
  /** When the user is away, and who decides for them meanwhile. */
  readonly away?: Absence | null;
}

/** From a day until another, exclusive; `to` is an e-mail. */
export interface Absence {
  readonly from: string;
  readonly until: string;
  readonly to: string;
}

/** The users of a workspace; `find` ignores the case of an e-mail. */
export interface Users {
  find(email: string): User | undefined;
  get(id: string): User | undefined;
  /** The ids of all users, ordered by e-mail (code points). */
  readonly ranked: readonly string[];
}

/** The settings of one field, and the users of its workspace. Settings of other types are absent. */
export type FieldOptions<Settings = Readonly<Record<string, unknown>>> = Settings & {
  readonly users: Users;
  /** Options that were removed from `options`, but that tasks may still hold. */
  readonly formerOptions?: readonly string[];
};

/** Where values are stored: with the task's other values, in the column of Unique IDs, or in the blob store. */
export type Storage = 'values' | 'column' | 'blobs';

/** One type of field with all its behaviour. To add one: a file in types/, and a line in field-types.ts. */
export interface FieldType<S extends Stored = Stored, Settings extends object = object> {
  /**
   * The settings of a field of this type, beyond those of every field. Title and description are those of the type;
   * the example consists of a field's name and settings.
   */
  readonly settings: TObject;
  /** A value as a payload may send it, and as a response then shows it. */
  readonly example: Example;
  readonly storage: Storage;
  /** Whether fields of this type may have a default; false if the value depends on the task. */
  readonly takesDefault: boolean;
  /** Whether word search covers the values, as they are stored. */
  readonly isSearched: boolean;
  /** How expressions treat a value; a text by default. */
  readonly expressionKind: ValueKind;
  /** The value of a blank field in a response. */
  readonly blank: Output;
  /** Reports faults in the settings that their schema cannot express. */
  settingFaults?(settings: Settings): readonly SettingFault[];
  /** Whether these settings number new tasks that have no value. */
  numbers?(settings: Settings): boolean;
  /** Whether this input (never null) means blank; `isBlankText` by default. */
  isBlank(input: Json): boolean;
  /**
   * Reads an input that is not blank, and returns it as it is stored. It also reads what `serialize` shows, because
   * clients and pages send that back. Returns `undefined` if the value is blank after all, as an unticked checkbox is.
   */
  parse(input: Json, options: FieldOptions<Settings>): S | undefined | Invalid;
  /** Why a value breaks the definition's rules. Values that a task already holds are not checked. */
  validate?(stored: S, settings: Settings): Invalid | undefined;
  /** Reads the text of a filter, unless it is blank; `undefined` matches blank values. */
  parseFilter(text: string, options: FieldOptions<Settings>): S | undefined | Invalid;
  /** The value as responses, pages, templates and the history show it. */
  serialize(stored: S, options: FieldOptions<Settings>): Output;
  /** The value for expressions, a number as decimal text. Absent if expressions read what a response shows. */
  expressionValue?(stored: S, options: FieldOptions<Settings>): Output;
  /** How an index orders stored values; absent if no index can. */
  readonly indexedAs?: IndexKind | undefined;
  order(options: FieldOptions<Settings>): Order;
  /** Options with which the stored value is accepted again, even if the definition has changed. */
  lenient?(options: FieldOptions<Settings>, stored: S): FieldOptions<Settings>;
  /** How pages show a value, and which control edits it. */
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

/** Properties that a type sets only if they differ from the usual. */
type OwnFacts = 'storage' | 'takesDefault' | 'isSearched' | 'expressionKind';

const usual = {
  storage: 'values',
  takesDefault: true,
  isSearched: false,
  expressionKind: 'text',
} as const;

/** Defines a type. Its settings have the types that their schema gives them. */
export function fieldType<S extends Stored, Properties extends TProperties>(
  settings: TObject<Properties>,
  type: Behaviour<S, Static<TObject<Properties>>>,
): FieldType<S, Static<TObject<Properties>>> {
  return { ...usual, ...type, settings };
}

/** The schema of a type without settings; `name` is the field's name in its example. */
export function plain(title: string, description: string, name: string) {
  return Type.Object({}, { title, description, examples: [{ name }] });
}

/** The order of the values of a key. Blank has a place only in a list of ranks. */
export type Order =
  /** By code point, as a decimal number, or as an instant in its canonical spelling. */
  | { readonly by: 'text' | 'number' | 'time' }
  /** By position in this list; values that are not in it come last. */
  | { readonly by: 'rank'; readonly ranks: readonly Ranked[] }
  /** By the members of arrays, one after the other; this list ranks them. */
  | { readonly by: 'ranks'; readonly ranks: readonly string[] };

/** By the beginning of a text, as a decimal number, or by values with a fixed order. */
export type IndexKind = 'text' | 'number' | 'exact';

export interface FieldIndex {
  readonly fieldId: string;
  readonly kind: IndexKind;
}

export type Ranked = string | number | true | null;

/** `undefined` means blank, which this function handles for all types. */
export function parseValue(
  type: FieldType,
  input: Json,
  options: FieldOptions,
): Stored | undefined | Invalid {
  const value = readValue(type, input, options);
  if (value === undefined || value instanceof Invalid) return value;
  return type.validate?.(value, options) ?? value;
}

/** Reads a value without applying the rules of its field. */
export function readValue(type: FieldType, input: Json, options: FieldOptions): Stored | undefined | Invalid {
  return input === null || type.isBlank(input) ? undefined : type.parse(input, options);
}

/** Reads the text of a filter; returns `null` for blank. */
export function parseFilterValue(
  type: FieldType,
  text: string,
  options: FieldOptions,
): Stored | null | Invalid {
  return isBlankText(text) ? null : (type.parseFilter(text, options) ?? null);
}

/** A type that stores a text; behaves like a plain string except where it says otherwise. */
export function textType<Properties extends TProperties>(
  settings: TObject<Properties>,
  own: Pick<Behaviour<string, Static<TObject<Properties>>>, 'parse' | 'example'> &
    Partial<Behaviour<string, Static<TObject<Properties>>>>,
): FieldType<string, Static<TObject<Properties>>> {
  const openapi = own.openapi ?? ((): object => ({ type: ['string', 'null'] }));
  return fieldType(settings, {
    blank: null,
    isBlank: isBlankText,
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

/** How pages show a value that is not blank: each form has its own component. */
export type ShownField =
  | { readonly as: 'line' | 'lines' | 'day' | 'instant' | 'tick' | 'person' | 'tags' | 'files' }
  /** With at least this many decimal places. */
  | { readonly as: 'number'; readonly decimals?: number }
  /** A link to the value: a web address, or one with this scheme. */
  | { readonly as: 'address'; readonly scheme?: 'mailto:' | 'tel:' };

/** The control with which people enter a value. A `line` without a type may be the title of a task. */
export type AskedField =
  | { readonly by: 'line'; readonly type?: 'email' | 'tel' | 'url'; readonly maxLength?: number }
  | { readonly by: 'lines'; readonly maxLength?: number }
  | { readonly by: 'day'; readonly min?: string; readonly max?: string }
  | { readonly by: 'number' | 'instant' | 'tick' | 'person' }
  | { readonly by: 'option'; readonly options: readonly string[]; readonly isRequired?: boolean }
  | { readonly by: 'options'; readonly options: readonly string[] }
  | { readonly by: 'files'; readonly limit: number | undefined };
