import { startOfDay, todayIn } from '../../lib/calendar.js';
import { filterNamed, type Choosing, type OperatorName } from '../../schema/filters.js';
import { Invalid } from '../../schema/invalid.js';
import { sortedNames } from '../../schema/list-query.js';
import { instants } from '../../schema/properties/instant.js';
import { readInstant } from '../../schema/types/datetime.js';
import { type ListedProperty } from '../../schema/property.js';
import { type TaskSchema } from '../../schema/task-schema.js';
import { writeDay, writeInstant } from '../parts/time.js';
import { formatNumber } from '../parts/value.js';
import { nameOfPerson, type SignedIn } from '../reader.js';
import { labelOf } from '../task-shown.js';
import { clockIn } from '../zone.js';

/** What a part of a query asks for, and the query without it. */
interface Chip {
  readonly text: string;
  readonly without: URLSearchParams;
}

/** What a query chooses tasks by, and their order, in the words of the reader; but for these parameters. */
export function chipsOf(
  to: SignedIn,
  schema: TaskSchema,
  filters: URLSearchParams,
  others: ReadonlySet<string>,
): Chip[] {
  const names = [...new Set(filters.keys())].filter((name) => !others.has(name));
  return names.flatMap((name) => {
    const values = filters.getAll(name);
    // Several values of a name are alternatives; several `_any` are not.
    const parts = name === '_any' ? values.map((value) => [value]) : [values];
    return parts.map((part) => ({
      text: inWords(to, schema, name, part),
      without: new URLSearchParams(
        [...filters].filter(([key, value]) => key !== name || !part.includes(value)),
      ),
    }));
  });
}

function inWords(to: SignedIn, schema: TaskSchema, name: string, values: readonly string[]): string {
  return isChoosing(name) ? choosing[name](to, schema, values) : filterInWords(to, schema, [name, values]);
}

const isChoosing = (name: string): name is Choosing => Object.hasOwn(choosing, name);

const choosing: Record<Choosing, (to: SignedIn, schema: TaskSchema, values: readonly string[]) => string> = {
  _search: ({ words: { lists } }, _, values) => lists.withWords(values.join(' ')),
  _sort: (to, schema, values) => {
    const { lists } = to.words;
    const names = sortedNames(schema, values);
    if (names instanceof Invalid) return lists.sortedBy(values);
    return lists.sortedBy(
      names.map((name) => {
        const isUp = schema.byName.has(name) || !name.startsWith('-');
        return isUp ? labelOf(to, name) : lists.downwards(labelOf(to, name.slice(1)));
      }),
    );
  },
  _overdue: ({ words: { lists, time } }, _, [value = '']) =>
    value === 'true' ? time.overdue : value === 'false' ? lists.isNotOverdue : lists.isOverdueBy(value),
  _active: ({ words: { lists } }, _, [value]) => (value === 'false' ? lists.isEnded : lists.open),
  _any: (to, schema, values) => {
    const queries = values.map((value) => new URLSearchParams(value));
    const filters = queries.flatMap((query) =>
      [...new Set(query.keys())].map((name) => filterInWords(to, schema, [name, query.getAll(name)])),
    );
    return to.words.lists.or(filters);
  },
};

type Filters = readonly [name: string, values: readonly string[]];

function filterInWords(to: SignedIn, schema: TaskSchema, [name, values]: Filters): string {
  const { lists } = to.words;
  const asked = filterNamed(schema, name);
  if (!asked) return lists.operators.eq(name, lists.or(values), false);
  const { property, link } = asked;
  const key = labelOf(to, property.name);
  const isTime = property.filter?.order.by === 'time';
  const bounds = values.map((value) => boundOf(to, property, asked.operator, value));
  const operator = bounds[0]?.operator ?? asked.operator;
  const written = bounds.map(({ value }) => valueInWords(to, property, value));
  if (!link && property.filter?.subject.of === 'assignee' && operator === 'eq')
    return lists.assigned(lists.or(written));
  return lists.operators[operator](link ? lists.ofLinked(link.name, key) : key, lists.or(written), isTime);
}

/** Before the beginning of a day is up to the day before it, as people say. */
function boundOf(
  to: SignedIn,
  property: ListedProperty,
  operator: OperatorName,
  value: string,
): { readonly operator: OperatorName; readonly value: string } {
  const isDue = property.name === '_due';
  if (isDue && operator === 'gt' && dayBegunBy(to, property, value)) return { operator: 'gte', value };
  if (operator !== 'lt' && !(isDue && operator === 'lte')) return { operator, value };
  const day = lastDayBefore(to, property, value);
  return day === undefined ? { operator, value } : { operator: 'lte', value: day };
}

/** Whether a key holds instants, which people ask for by days. */
export const isInstant = ({ name, view }: ListedProperty): boolean =>
  instants.has(name) || view?.ask.by === 'instant';

/** The day before this instant, where a day begins with it; undefined where none does. */
export function lastDayBefore(to: SignedIn, property: ListedProperty, value: string): string | undefined {
  const day = dayBegunBy(to, property, value);
  return day === undefined ? undefined : dayBeside(day, -1);
}

/** The day so many days later; the text itself where it is no day. */
export function dayBeside(day: string, days: number): string {
  const start = startOfDay(day);
  return start ? new Date(start.getTime() + days * 86_400_000).toISOString().slice(0, 10) : day;
}

/** The day that begins with this instant where the reader is; undefined where none does. */
export function dayBegunBy(
  { timeZone }: SignedIn,
  property: ListedProperty,
  value: string,
): string | undefined {
  const at = isInstant(property) ? readInstant(value) : null;
  if (typeof at !== 'string' || !clockIn(timeZone, new Date(at)).endsWith('T00:00')) return undefined;
  return todayIn(timeZone, new Date(at));
}

function valueInWords(to: SignedIn, property: ListedProperty, value: string): string {
  const { words, locale, workspace } = to;
  const isAssignee = property.filter?.subject.of === 'assignee';
  if (value === '') return isAssignee ? words.lists.nobodyThere : words.lists.blank;
  const show = property.view?.show;
  const person = isAssignee || show?.as === 'person' ? workspace.users.find(value) : undefined;
  if (person) return nameOfPerson(person);
  if (show?.as === 'number') return formatNumber(locale, value, show.decimals);
  if (show?.as === 'tick') return value === 'true' ? words.yes : words.no;
  if (property.filter?.order.by !== 'time') return value;
  const day = dayBegunBy(to, property, value) ?? value;
  if (startOfDay(day)) return writeDay(day, locale, 'medium');
  const at = readInstant(value);
  return typeof at === 'string' ? writeInstant(new Date(at), to) : value;
}
