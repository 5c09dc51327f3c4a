import Type, { type Static, type TObject, type TSchema } from 'typebox';

/** A JSON value in a definition. A key can be `constructor`, so read unknown keys with `Object.entries`. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonMapping;

export type JsonMapping = { [key: string]: JsonValue };

type Plain = JsonValue | undefined;

export type ValueHolder = JsonMapping | JsonValue[];

type Reader = (value: JsonValue, holder: ValueHolder, key: string | number) => unknown;

// Readers are stored outside the schemas, because the schemas are published unchanged.
const readers = new WeakMap<object, Reader>();

/** Makes `readShape` call `read` for each value that has this schema. */
export function readAs<Schema extends TSchema>(
  schema: Schema,
  read: (value: JsonValue, holder: ValueHolder, key: string | number) => Static<Schema> | undefined,
): Schema {
  readers.set(schema, read);
  return schema;
}

/**
 * Reads a mapping by its schema: fills in defaults, and puts keys in the order of the schema. If a value has
 * the wrong shape, reads its text, an empty value or the default. `findSchemaFaults` reports the value. The
 * result keeps the `SourcePlace` of `raw`.
 */
export function readShape<Schema extends TObject>(schema: Schema, raw: JsonMapping): Static<Schema> {
  return readMapping(schema, raw) as Static<Schema>;
}

function readMapping({ properties }: TObject, raw: JsonMapping): object {
  const entries = Object.entries(properties).flatMap(([key, schema]) => {
    const isAbsent = raw[key] === undefined;
    if (isAbsent && Type.IsOptional(schema)) return [];
    const value = isAbsent ? emptyOf(schema) : readValue(schema, raw[key] ?? null, raw, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return takePlace(raw, Object.fromEntries(entries));
}

function readValue(schema: TSchema, value: JsonValue, holder: ValueHolder, key: string | number): unknown {
  const own = readers.get(schema);
  if (own) return own(value, holder, key);
  if (Type.IsLiteral(schema)) return schema.const;
  if (Type.IsObject(schema)) return readMapping(schema, asMapping(value));
  if (Type.IsRecord(schema)) return readTexts(asMapping(value));
  if (Type.IsArray(schema)) return readList(schema.items, value);
  if (Type.IsString(schema)) return asText(value);
  return isOf(schema, value) ? value : emptyOf(schema);
}

/** Reads a list. If an element should be a mapping but is something else, reads an empty mapping. */
function readList(items: TSchema, value: JsonValue): unknown[] {
  if (!Array.isArray(value)) return [];
  const holdsMappings = Type.IsObject(items) || readers.has(items);
  const made = value.flatMap(
    (item, index) =>
      readValue(items, holdsMappings && !isMapping(item) ? emptyAt(value, index) : item, value, index) ?? [],
  );
  return takePlace(value, made);
}

/** An empty mapping with the `SourcePlace` of an element of a list. */
export function emptyAt(list: JsonValue[], index: number): JsonMapping {
  const place = placeOfValue(list);
  const made = {};
  const line = place?.entries.get(index)?.line ?? place?.line ?? 1;
  if (place) setPlace(made, { path: join(place.path, index), line, entries: new Map() });
  return made;
}

function readTexts(raw: JsonMapping): object {
  return takePlace(raw, Object.fromEntries(Object.entries(raw).map(([key, text]) => [key, asText(text)])));
}

function isOf(schema: TSchema, value: JsonValue): boolean {
  if (Type.IsEnum(schema)) return schema.enum.includes(value as string);
  if (Type.IsBoolean(schema)) return typeof value === 'boolean';
  return Type.IsNumber(schema) || Type.IsInteger(schema) ? typeof value === 'number' : true;
}

/** The value to use if a value is absent or has the wrong shape. */
function emptyOf(schema: TSchema): unknown {
  const { default: otherwise } = schema as { readonly default?: unknown };
  if (otherwise !== undefined && !Type.IsOptional(schema)) return structuredClone(otherwise);
  const own = readers.get(schema);
  if (own) return own(null, {}, '');
  if (Type.IsObject(schema)) return readMapping(schema, {});
  if (Type.IsArray(schema)) return [];
  if (Type.IsString(schema)) return '';
  return Type.IsEnum(schema) && !Type.IsOptional(schema) ? schema.enum[0] : undefined;
}

/** The value if it is a mapping, otherwise an empty mapping. */
export function asMapping(value: Plain): JsonMapping {
  return isMapping(value) ? value : {};
}

export function isMapping(value: Plain): value is JsonMapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asText(value: Plain): string {
  return value === undefined || typeof value === 'object' ? '' : String(value);
}

/** The value of an entry. Every number, even in a list, becomes its text, so that no digit is lost. */
export function readExact(value: JsonValue, holder: ValueHolder, key: string | number): JsonValue {
  if (typeof value === 'number') return placeOfValue(holder)?.entries.get(key)?.digits ?? String(value);
  if (!Array.isArray(value)) return value;
  return takePlace(
    value,
    value.map((item, index) => readExact(item, value, index)),
  );
}

/** The place of a mapping or list in its file, or in the stored definition. */
export interface SourcePlace {
  readonly path: string;
  /** Absent if the mapping or list is not in the file. */
  readonly line?: number;
  /** Maps the key or index of an entry to the entry's line and, if the entry is a number, to its text. */
  readonly entries: ReadonlyMap<string | number, MappingEntry>;
}

export interface MappingEntry {
  readonly line: number;
  /** The text of a number, exactly as in the file. */
  readonly digits?: string;
}

// Places are stored outside the values, so that definitions from files look like stored definitions.
const places = new WeakMap<object, SourcePlace>();

export function placeOfValue(object: object): SourcePlace | undefined {
  return places.get(object);
}

export function setPlace<T extends object>(object: T, place: SourcePlace): T {
  places.set(object, place);
  return object;
}

/** Gives `made` the place of `source`. */
export function takePlace<T extends object>(source: object, made: T): T {
  const place = places.get(source);
  if (place) places.set(made, place);
  return made;
}

/** Appends a key or an index to a path, such as `workflows[0].set["Closed On"]`. */
export function join(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
