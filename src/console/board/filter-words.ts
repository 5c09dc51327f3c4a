import { startOfDay } from '../../common/calendar.js';
import { filterNamed, type OperatorName } from '../../workflows/fields/filters.js';
import { readInstant } from '../../workflows/fields/types/datetime.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { writeDay, writeInstant } from '../parts/time.js';
import { shownAs, writeValue } from '../parts/value.js';
import { type SignedIn } from '../reader.js';
import { labelOf } from '../task-shown.js';
import { dayBegunBy, dayOfBound } from './filter-values.js';

/**
 * Writes each filter of a query in words. `without` is the query without this filter. Skips the names in
 * `others`.
 */
export function chipsOf(
  reader: SignedIn,
  schema: TaskSchema,
  filters: URLSearchParams,
  others: ReadonlySet<string>,
): { readonly text: string; readonly without: URLSearchParams }[] {
  const names = [...new Set(filters.keys())].filter((name) => !others.has(name));
  return names.flatMap((name) => {
    const values = filters.getAll(name);
    // All values of a parameter form one filter with one text. Each value of `_any` is a separate filter, so
    // each value has its own text.
    const parts = name === '_any' ? values.map((value) => [value]) : [values];
    return parts.map((part) => ({
      text: inWords(reader, schema, name, part),
      without: new URLSearchParams(
        [...filters].filter(([key, value]) => key !== name || !part.includes(value)),
      ),
    }));
  });
}

function inWords(reader: SignedIn, schema: TaskSchema, name: string, values: readonly string[]): string {
  const [value = ''] = values;
  switch (name) {
    case '_search':
      return `With the words “${values.join(' ')}”`;
    case '_overdue':
      if (value === 'true') return 'Overdue';
      return value === 'false' ? 'Not overdue' : `Overdue by the clock ${value}`;
    case '_active':
      return value === 'false' ? 'Finished only' : 'Open only';
    case '_any':
      return values
        .map((each) => new URLSearchParams(each))
        .flatMap((query) =>
          [...new Set(query.keys())].map((key) => filterInWords(reader, schema, key, query.getAll(key))),
        )
        .join(' or ');
    default:
      return filterInWords(reader, schema, name, values);
  }
}

function filterInWords(
  reader: SignedIn,
  schema: TaskSchema,
  name: string,
  values: readonly string[],
): string {
  const asked = filterNamed(schema, name);
  if (!asked) return `${name} is ${values.join(' or ')}`;
  const { property, link, operator } = asked;
  const key = labelOf(property.name);
  const days = values.map((value) => dayOfBound(reader, property, operator, value));
  const written = values.map((value, at) => valueInWords(reader, property, days[at] ?? value)).join(' or ');
  // If a bound is the beginning of a day, the text has the first or last day of the range: "before 6 March"
  // becomes "≤ 5 March".
  const ofDays = operator.startsWith('l') ? 'lte' : 'gte';
  const sign = signs[days[0] === undefined ? operator : ofDays];
  return `${link ? `${link.name}’s ${key}` : key} ${sign} ${written}`;
}

function valueInWords(reader: SignedIn, property: ListedProperty, value: string): string {
  const show = shownAs(property);
  if (value === '') return property.filter?.subject.of === 'assignee' ? 'nobody' : 'empty';
  if (show.as === 'tick') return value === 'true' ? 'Yes' : 'No';
  if (property.filter?.order.by !== 'time') return writeValue(reader, show, value) ?? value;
  const day = dayBegunBy(reader, property, value) ?? value;
  if (startOfDay(day)) return writeDay(day, reader.locale, 'medium');
  const at = readInstant(value);
  return typeof at === 'string' ? writeInstant(new Date(at), reader) : value;
}

const signs: Readonly<Record<OperatorName, string>> = {
  eq: 'is',
  ne: 'is not',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  contains: 'contains',
};
