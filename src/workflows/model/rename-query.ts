import { type NamedKind } from './marks.js';

type NameNow = (to: NamedKind, name: string) => string;

/** A query of tasks after renames. Parts without changed names stay as people wrote them. */
export function renameQuery(query: string, nameNow: NameNow): string {
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

function renameValue(name: string, value: string, nameNow: NameNow): string {
  if (name === 'Stage') return nameNow('stage', value);
  return name === 'Assigned To' ? nameNow('user', value) : value;
}

/** The parameters of a query whose values name fields. */
const controlsOfQuery: ReadonlyMap<string, (value: string, nameNow: NameNow) => string> = new Map([
  ['_sort', (value, nameNow) => renameList(value, sortKey(nameNow))],
  ['_fields', (value, nameNow) => renameList(value, (name) => nameNow('field', name))],
  ['_any', renameQuery],
]);

/** A name that contains commas is the only name in its parameter. */
function renameList(value: string, rename: (name: string) => string): string {
  const whole = rename(value);
  return whole === value ? value.split(',').map(rename).join(',') : whole;
}

const sortKey =
  (nameNow: NameNow) =>
  (key: string): string =>
    key.startsWith('-') ? `-${nameNow('field', key.slice(1))}` : nameNow('field', key);

function decoded(text: string): string {
  return new URLSearchParams(`value=${text}`).get('value') ?? '';
}

/** Keeps spaces, because people read the query. */
function encoded(text: string): string {
  return text.replaceAll(/[%&+=#]/g, encodeURIComponent);
}
