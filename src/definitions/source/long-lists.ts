import Type, { type TSchema } from 'typebox';
import { definitionSchema } from './definition-schema.js';

/** A list that is too long. */
interface LongList {
  readonly holder: object;
  readonly key: string;
  readonly message: string;
}

/** The lists that are longer than their schemas allow, in a file or by several files together. */
export function findLongLists(definition: object): LongList[] {
  return longListsIn(definitionSchema, definition);
}

function longListsIn(schema: TSchema, holder: object): LongList[] {
  const properties = Type.IsObject(schema) ? schema.properties : {};
  return Object.entries<unknown>({ ...holder }).flatMap(([key, list]) => {
    const listed = properties[key];
    if (!Array.isArray(list) || !listed || !Type.IsArray(listed)) return [];
    const { items } = listed;
    const maxItems = Number(new Map<string, unknown>(Object.entries(listed)).get('maxItems') ?? Infinity);
    if (list.length > maxItems) return [{ holder, key, message: `has more than ${maxItems} entries` }];
    return list.flatMap((item: unknown) =>
      typeof item === 'object' && item !== null ? longListsIn(items, item) : [],
    );
  });
}
