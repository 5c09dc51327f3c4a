import { startOfDay, todayIn } from '../../common/calendar.js';
import { filterNamed, type Choosing, type OperatorName } from '../../workflows/fields/filters.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { sortedNames } from '../../workflows/fields/list-query.js';
import { instants } from '../../workflows/fields/properties/built-ins.js';
import { readInstant } from '../../workflows/fields/types/datetime.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { writeDay, writeInstant, localTimeIn } from '../parts/time.js';
import { formatNumber } from '../parts/value.js';
import { nameOfPerson, type SignedIn } from '../reader.js';
import { labelOf } from '../task-shown.js';

/** A part of a query in words, and the query without it. */
interface Chip {
  readonly text: string;
  readonly without: URLSearchParams;
}

/** The filters and the order of a query in words for the reader. Leaves out these parameters. */
export function chipsOf(
  reader: SignedIn,
  schema: TaskSchema,
  filters: URLSearchParams,
  others: ReadonlySet<string>,
): Chip[] {
  const names = [...new Set(filters.keys())].filter((name) => !others.has(name));
  return names.flatMap((name) => {
    const values = filters.getAll(name);
    // Several values of a name are alternatives; several `_any` have to be met together.
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
  return isChoosing(name)
    ? choosing[name](reader, schema, values)
    : filterInWords(reader, schema, [name, values]);
}

const isChoosing = (name: string): name is Choosing => Object.hasOwn(choosing, name);

const choosing: Record<
  Choosing,
  (reader: SignedIn, schema: TaskSchema, values: readonly string[]) => string
> = {
  _search: (_reader, _, values) => `With the words “${values.join(' ')}”`,
  _sort: (_reader, schema, values) => {
    const names = sortedNames(schema, values);
    if (names instanceof Invalid) return `Sorted by ${values.join(', then ')}`;
    return `Sorted by ${names
      .map((name) => {
        const isUp = schema.byName.has(name) || !name.startsWith('-');
        return isUp ? labelOf(name) : `${labelOf(name.slice(1))}, descending`;
      })
      .join(', then ')}`;
  },
  _overdue: (_reader, _, [value = '']) =>
    value === 'true' ? 'Overdue' : value === 'false' ? 'Not overdue' : `Overdue by the clock ${value}`,
  _active: (_reader, _, [value]) => (value === 'false' ? 'Finished only' : 'Open only'),
  _any: (reader, schema, values) => {
    const queries = values.map((value) => new URLSearchParams(value));
    const filters = queries.flatMap((query) =>
      [...new Set(query.keys())].map((name) => filterInWords(reader, schema, [name, query.getAll(name)])),
    );
    return filters.join(' or ');
  },
};

type Filters = readonly [name: string, values: readonly string[]];

function filterInWords(reader: SignedIn, schema: TaskSchema, [name, values]: Filters): string {
  const asked = filterNamed(schema, name);
  if (!asked) return conditions.eq(name, values.join(' or '), false);
  const { property, link } = asked;
  const key = labelOf(property.name);
  const isTime = property.filter?.order.by === 'time';
  const bounds = values.map((value) => boundOf(reader, property, asked.operator, value));
  const operator = bounds[0]?.operator ?? asked.operator;
  const written = bounds.map(({ value }) => valueInWords(reader, property, value));
  if (!link && property.filter?.subject.of === 'assignee' && operator === 'eq')
    return `Assigned to ${written.join(' or ')}`;
  return conditions[operator](link ? `${link.name}’s ${key}` : key, written.join(' or '), isTime);
}

/** "Before the beginning of a day" is shown as "until the day before". */
function boundOf(
  reader: SignedIn,
  property: ListedProperty,
  operator: OperatorName,
  value: string,
): { readonly operator: OperatorName; readonly value: string } {
  const isDue = property.name === '_due';
  if (isDue && operator === 'gt' && dayBegunBy(reader, property, value)) return { operator: 'gte', value };
  if (operator !== 'lt' && !(isDue && operator === 'lte')) return { operator, value };
  const day = lastDayBefore(reader, property, value);
  return day === undefined ? { operator, value } : { operator: 'lte', value: day };
}

/** Whether a key holds instants, which people filter by days. */
export const isInstant = ({ name, view }: ListedProperty): boolean =>
  instants.has(name) || view?.ask.by === 'instant';

/** The day before this instant, if a day begins with it; otherwise undefined. */
export function lastDayBefore(reader: SignedIn, property: ListedProperty, value: string): string | undefined {
  const day = dayBegunBy(reader, property, value);
  return day === undefined ? undefined : dayBeside(day, -1);
}

/** The day that is so many days later; the text itself if it is not a day. */
export function dayBeside(day: string, days: number): string {
  const start = startOfDay(day);
  return start ? new Date(start.getTime() + days * 86_400_000).toISOString().slice(0, 10) : day;
}

/** The day that begins at this instant in the reader's zone; undefined if none does. */
export function dayBegunBy(
  { timeZone }: SignedIn,
  property: ListedProperty,
  value: string,
): string | undefined {
  const at = isInstant(property) ? readInstant(value) : null;
  if (typeof at !== 'string' || !localTimeIn(timeZone, new Date(at)).endsWith('T00:00')) return undefined;
  return todayIn(timeZone, new Date(at));
}

function valueInWords(reader: SignedIn, property: ListedProperty, value: string): string {
  const { locale, workspace } = reader;
  const isAssignee = property.filter?.subject.of === 'assignee';
  if (value === '') return isAssignee ? 'nobody' : 'empty';
  const show = property.view?.show;
  const person = isAssignee || show?.as === 'person' ? workspace.users.find(value) : undefined;
  if (person) return nameOfPerson(person);
  if (show?.as === 'number') return formatNumber(locale, value, show.decimals);
  if (show?.as === 'tick') return value === 'true' ? 'Yes' : 'No';
  if (property.filter?.order.by !== 'time') return value;
  const day = dayBegunBy(reader, property, value) ?? value;
  if (startOfDay(day)) return writeDay(day, locale, 'medium');
  const at = readInstant(value);
  return typeof at === 'string' ? writeInstant(new Date(at), reader) : value;
}

const conditions: Readonly<Record<OperatorName, (name: string, value: string, isTime: boolean) => string>> = {
  eq: (name, value) => `${name} is ${value}`,
  ne: (name, value) => `${name} is not ${value}`,
  gt: (name, value, isTime) => `${name} ${isTime ? 'after' : 'above'} ${value}`,
  gte: (name, value) => `${name} from ${value}`,
  lt: (name, value, isTime) => `${name} ${isTime ? 'before' : 'below'} ${value}`,
  lte: (name, value) => `${name} up to ${value}`,
  contains: (name, value) => `${name} contains ${value}`,
};
