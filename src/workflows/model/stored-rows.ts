import { isDeepStrictEqual } from 'node:util';

/** How the elements of a list are stored in a table. */
export interface StoredRows<Spec extends object, Row extends object = object> {
  readonly entity: new () => Row;
  /**
   * Finds the rows of the table that belong to the definition, such as those with `managedBy: 'definition'`.
   * If absent, all rows belong to the definition.
   */
  readonly where?: Partial<Row>;
  /** The id of a new row; absent if the definition or the database provides the id. */
  newId?(): string;
  spec(row: Row, nameOf: NameOfRow): object;
  /**
   * The columns of an element. Its position, the ids of its workspace and workflow, and a `newId` are added
   * later.
   */
  columns(spec: Spec, idOf: IdOfRow): object;
}

/** Returns the name of a stored element as definitions write it, such as the e-mail of a user. */
export type NameOfRow = (kind: string, id: unknown) => string;

/** Returns the id of an element whose row is already stored. */
export type IdOfRow = (kind: string, name: string) => unknown;

type Column<Row extends object> = (keyof Row & string) | ColumnOf<Row>;

interface ColumnOf<Row extends object> {
  readonly in: keyof Row & string;
  /** If the setting names an element, the kind of this element. The column then holds the element's id. */
  readonly to?: string;
  /** The value of the column if the setting is absent. */
  readonly absent?: unknown;
}

interface Table<Row extends object> extends Pick<StoredRows<object, Row>, 'entity' | 'where' | 'newId'> {
  /** Maps the key of each setting to its column, in the order of the definition. */
  readonly columns: Readonly<Record<string, Column<Row>>>;
  /** The column for the settings that have no column of their own. */
  readonly others?: keyof Row & 'settings';
}

/** Stores each setting in `columns` in its column, and all other settings in the column `others`. */
export function tableOf<Row extends object>({
  columns,
  others,
  ...table
}: Table<Row>): StoredRows<object, Row> {
  const settings = Object.entries(columns).map(([key, column]): [string, ColumnOf<Row>] => [
    key,
    typeof column === 'object' ? column : { in: column },
  ]);
  return {
    ...table,
    spec: (row, nameOf) => {
      const entries = settings.flatMap(([key, { in: column, to, absent }]) => {
        const value: unknown = row[column];
        if (absent !== undefined && isDeepStrictEqual(value, absent)) return [];
        return [[key, to === undefined ? value : nameOf(to, value)] as const];
      });
      return Object.fromEntries(others ? [...entries, ...Object.entries(row[others] ?? {})] : entries);
    },
    columns: (spec, idOf) => {
      const left = new Map<string, unknown>(Object.entries(withoutFormer(spec)));
      const entries = settings.map(([key, { in: column, to, absent }]) => {
        const value = left.get(key) ?? absent;
        left.delete(key);
        return [column, to === undefined ? value : idOf(to, String(value))] as const;
      });
      return Object.fromEntries<unknown>(others ? [...entries, [others, Object.fromEntries(left)]] : entries);
    },
  };
}

/** An element as it is stored: without `was`, which is an instruction for one apply. */
export function withoutFormer(element: object): object {
  const kept = { ...element };
  Reflect.deleteProperty(kept, 'was');
  return kept;
}
