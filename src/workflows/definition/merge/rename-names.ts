import { type NamedKind } from '../../model/marks.js';
import { namesIn, type NameUse, type DefinitionPart } from '../../model/names.js';

/**
 * Returns the new name of an element in one of these workflows. If the element is not renamed, returns the
 * given name.
 */
export type NameNow = (to: NamedKind, name: string, workflows: readonly string[]) => string;

/**
 * Replaces renamed names in a part of a definition, in place. Names in expressions and templates stay, and so
 * do e-mails in values of person fields. The check reports such names and e-mails.
 */
export function renameNames(part: DefinitionPart, nameNow: NameNow): void {
  const keys = new Map<object, Map<string, string>>();
  for (const use of namesIn(part)) {
    const now = presentOf(use, nameNow);
    if (now === use.name) continue;
    if (use.isKey)
      keys.set(use.holder, (keys.get(use.holder) ?? new Map<string, string>()).set(use.name, now));
    else Reflect.set(use.holder, use.key, now);
  }
  for (const [mapping, renames] of keys) renameKeys(mapping, renames);
}

function presentOf({ name, mark, workflows }: NameUse, nameNow: NameNow): string {
  const inQuery = (to: NamedKind, text: string): string => nameNow(to, text, workflows);
  return mark.isQuery ? renameQuery(name, inQuery) : nameNow(mark.to, name, workflows);
}

/** Renames all keys at once, because one key may get the old name of another key. Keeps their order. */
function renameKeys(mapping: object, renames: ReadonlyMap<string, string>): void {
  const entries = Object.entries(mapping) as [string, unknown][];
  for (const [key] of entries) Reflect.deleteProperty(mapping, key);
  // Unlike an assignment, `defineProperty` can set a key `__proto__`.
  for (const [key, value] of entries)
    Object.defineProperty(mapping, renames.get(key) ?? key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}

type NameInQuery = (to: NamedKind, name: string) => string;

/**
 * Replaces renamed names in a query for tasks, except names of fields of linked tasks. The rest of the query
 * stays as people wrote it.
 */
function renameQuery(query: string, nameNow: NameInQuery): string {
  return query
    .split('&')
    .map((part) => {
      const [written = '', ...values] = part.split('=');
      const key = decoded(written);
      const [, name = key, operator = ''] = /^(.*)(\[[a-z]+\])$/s.exec(key) ?? [];
      const value = decoded(values.join('='));
      const control = controlsOfQuery.get(name);
      const [newName, newValue] = control
        ? [name, control(value, nameNow)]
        : [nameNow('field', name), renameValue(name, value, nameNow)];
      if (newName === name && newValue === value) return part;
      return `${encoded(newName)}${operator}=${encoded(newValue)}`;
    })
    .join('&');
}

function renameValue(name: string, value: string, nameNow: NameInQuery): string {
  if (name === 'Stage') return nameNow('stage', value);
  return name === 'Assigned To' ? nameNow('user', value) : value;
}

/** Maps control parameters, such as `_sort`, to functions that replace the names in their values. */
const controlsOfQuery: ReadonlyMap<string, (value: string, nameNow: NameInQuery) => string> = new Map([
  ['_sort', (value, nameNow) => renameList(value, sortKey(nameNow))],
  ['_fields', (value, nameNow) => renameList(value, (name) => nameNow('field', name))],
  ['_any', renameQuery],
]);

/**
 * Renames names that are separated by commas. If the whole value is a renamed name, its commas belong to the
 * name.
 */
function renameList(value: string, rename: (name: string) => string): string {
  const whole = rename(value);
  return whole === value ? value.split(',').map(rename).join(',') : whole;
}

const sortKey =
  (nameNow: NameInQuery) =>
  (key: string): string =>
    key.startsWith('-') ? `-${nameNow('field', key.slice(1))}` : nameNow('field', key);

function decoded(text: string): string {
  return new URLSearchParams(`value=${text}`).get('value') ?? '';
}

/** Encodes only characters that a query reserves. Spaces stay, because people read the query. */
function encoded(text: string): string {
  return text.replaceAll(/[%&+=#]/g, encodeURIComponent);
}
