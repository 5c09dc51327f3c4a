import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { Invalid, type SettingFault } from './invalid.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { type StoredFile } from './file-value.js';
import { isBlankText } from '../../common/text.js';
import { type ValueKind } from '../../common/column-values.js';

/**
 * A value in the form in which a task stores it. The form is canonical, so that equal values are equal JSON.
 * A blank value is not stored.
 */
export type Stored = string | true | readonly string[] | readonly StoredFile[];

export type Output = string | boolean | null | readonly Output[] | { readonly [key: string]: Output };

/** A user of the workspace, for `person` fields and `Assigned To`. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly active: boolean;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
  /** When the user is away, and who may approve in their place. */
  readonly away?: Absence | null;
}

/** An absence: its first day, the first day back, and the e-mail of the deputy. */
export interface Absence {
  readonly from: string;
  readonly until: string;
  readonly to: string;
}

/** The users of a workspace; `find` ignores the case of an e-mail. */
export interface Users {
  find(email: string): User | undefined;
  get(id: string): User | undefined;
  /** The ids of all users. A compiled workspace sorts the ids by e-mail, in the order of code points. */
  readonly ranked: readonly string[];
}

/** The settings of one field, and the users of its workspace. */
export type FieldOptions<Settings = Readonly<Record<string, unknown>>> = Settings & {
  readonly users: Users;
  /** Options that were removed from `options`, but that tasks may still hold. */
  readonly formerOptions?: readonly string[];
};

/**
 * Where a task stores the values of a type: in `fieldValues`, or in the column for Unique IDs. Attachments
 * are in `fieldValues` without their bytes, which are stored as blobs.
 */
export type Storage = 'values' | 'column' | 'blobs';

/**
 * A type of field. A new type needs a file in types/ and a line in field-types.ts. docs/CONTRIBUTING.md lists
 * the rest.
 */
export interface FieldType<S extends Stored = Stored, Settings extends object = object> {
  /**
   * The schema of the type's own settings. Leaves out the settings that every field can have. The title and
   * description of the schema are those of the type. The example shows the name and the settings of one
   * field.
   */
  readonly settings: TObject;
  /** A value as a payload may send it, and as a response then shows it. */
  readonly example: { readonly sent: unknown; readonly shown: unknown };
  readonly storage: Storage;
  /** Whether fields of this type may have a default; false if the value depends on the task. */
  readonly takesDefault: boolean;
  /** Whether word search covers the stored values. */
  readonly isSearched: boolean;
  /** The kind of value that expressions get. Expressions get a number as a decimal text. */
  readonly expressionKind: ValueKind;
  /** The value of a blank field in a response. */
  readonly blank: Output;
  /** Finds those faults of the settings that the schema cannot find. */
  settingFaults?(settings: Settings): readonly SettingFault[];
  /** Whether a new task without a value gets the next number. */
  numbers?(settings: Settings): boolean;
  /** Whether this input means blank. The input is never null, because null always means blank. */
  isBlank(input: Json): boolean;
  /**
   * Parses an input for which `isBlank` is false, and returns the stored form. Returns `undefined` if nothing
   * needs to be stored, as for an unticked checkbox. Also accepts the output of `serialize`, because clients
   * and pages send that output back.
   */
  parse(input: Json, options: FieldOptions<Settings>): S | undefined | Invalid;
  /** Returns why a value breaks the rules of its field. Values that a task already holds are not checked. */
  validate?(stored: S, settings: Settings): Invalid | undefined;
  /** Parses the text of a filter, if the text is not blank. `undefined` means that blank values match. */
  parseFilter(text: string, options: FieldOptions<Settings>): S | undefined | Invalid;
  /** The value as responses, pages, templates and the history show it. */
  serialize(stored: S, options: FieldOptions<Settings>): Output;
  /** The value in expressions, if it differs from the value in responses. */
  expressionValue?(stored: S, options: FieldOptions<Settings>): Output;
  /** What an index stores of a value; undefined if fields of this type cannot have an index. */
  readonly indexedAs?: IndexKind | undefined;
  order(options: FieldOptions<Settings>): Order;
  /**
   * Returns options that accept the stored value even if the definition no longer allows it. A client can
   * then send a task back unchanged.
   */
  lenient?(options: FieldOptions<Settings>, stored: S): FieldOptions<Settings>;
  /** How pages show a value, and which control edits it. */
  show(options: FieldOptions<Settings>): ShownField;
  ask(options: FieldOptions<Settings>): AskedField;
  /** The JSON Schema (OpenAPI 3.1) of the value in a response. */
  openapi(options: FieldOptions<Settings>): object;
  /** The JSON Schema of the value in a payload. */
  openapiInput(options: FieldOptions<Settings>): object;
}

type Behaviour<S extends Stored, Settings extends object> = Omit<
  FieldType<S, Settings>,
  'settings' | OwnFacts
> &
  Partial<Pick<FieldType, OwnFacts>>;

/** Properties that a type sets only if they differ from `usual`. */
type OwnFacts = 'storage' | 'takesDefault' | 'isSearched' | 'expressionKind';

const usual = {
  storage: 'values',
  takesDefault: true,
  isSearched: false,
  expressionKind: 'text',
} as const;

/** Defines a type of field. The schema of its settings determines their TypeScript types. */
export function fieldType<S extends Stored, Properties extends TProperties>(
  settings: TObject<Properties>,
  type: Behaviour<S, Static<TObject<Properties>>>,
): FieldType<S, Static<TObject<Properties>>> {
  return { ...usual, ...type, settings };
}

/** The schema of a type without settings; `name` is the name of the field in the example. */
export function plain(title: string, description: string, name: string) {
  return Type.Object({}, { title, description, examples: [{ name }] });
}

/**
 * How the values of a key of a task are ordered. A blank value has a rank only if a list of ranks contains
 * null.
 */
export type Order =
  /** Values are compared by code point, as decimal numbers, or as days or instants in canonical form. */
  | { readonly by: 'text' | 'number' | 'time' }
  /** Values are ordered by their position in this list; values outside the list rank highest. */
  | { readonly by: 'rank'; readonly ranks: readonly Ranked[] }
  /** Each array becomes the sorted ranks of its members in this list. The lowest ranks are compared first. */
  | { readonly by: 'ranks'; readonly ranks: readonly string[] };

/** The value that an index stores: the beginning of a text, a decimal number, or the exact value. */
export type IndexKind = 'text' | 'number' | 'exact';

export interface FieldIndex {
  readonly fieldId: string;
  readonly kind: IndexKind;
}

export type Ranked = string | number | true | null;

/** Parses and validates an input of any type. `undefined` means blank. */
export function parseValue(
  type: FieldType,
  input: Json,
  options: FieldOptions,
): Stored | undefined | Invalid {
  const value = readValue(type, input, options);
  if (value === undefined || value instanceof Invalid) return value;
  return type.validate?.(value, options) ?? value;
}

/** Parses an input without applying the rules of its field. */
export function readValue(type: FieldType, input: Json, options: FieldOptions): Stored | undefined | Invalid {
  return input === null || type.isBlank(input) ? undefined : type.parse(input, options);
}

/** Parses the text of a filter; returns `null` for blank. */
export function parseFilterValue(
  type: FieldType,
  text: string,
  options: FieldOptions,
): Stored | null | Invalid {
  return isBlankText(text) ? null : (type.parseFilter(text, options) ?? null);
}

/** Makes a type that stores a text. The properties in `own` override those of a plain text. */
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

/** How pages show a value that is not blank. */
export type ShownField =
  | { readonly as: 'line' | 'lines' | 'day' | 'instant' | 'tick' | 'person' | 'tags' | 'files' }
  /** A number with at least this many decimal places. */
  | { readonly as: 'number'; readonly decimals?: number }
  /** A hyperlink. Its address is `scheme`, if set, and then the value. */
  | { readonly as: 'address'; readonly scheme?: 'mailto:' | 'tel:' };

/**
 * The control with which people enter a value. A field can give tasks their title only if its control is a
 * `line` without a `type`.
 */
export type AskedField =
  | { readonly by: 'line'; readonly type?: 'email' | 'tel' | 'url'; readonly maxLength?: number }
  | { readonly by: 'lines'; readonly maxLength?: number }
  | { readonly by: 'day'; readonly min?: string; readonly max?: string }
  | { readonly by: 'number' | 'instant' | 'tick' | 'person' }
  | { readonly by: 'option'; readonly options: readonly string[]; readonly isRequired?: boolean }
  | { readonly by: 'options'; readonly options: readonly string[] }
  | { readonly by: 'files'; readonly limit: number | undefined };
