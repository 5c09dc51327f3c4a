import { startOfDay, todayIn } from '../../common/calendar.js';
import { filterNamed, type OperatorName } from '../../workflows/fields/filters.js';
import { instants } from '../../workflows/fields/properties/built-ins.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { readInstant } from '../../workflows/fields/types/datetime.js';
import { typedNumber } from '../parts/number.js';
import { instantAt, localTimeIn } from '../parts/time.js';
import { type SignedIn } from '../reader.js';

// Users filter instants by days: from the beginning of one day to the end of another.

const isInstant = ({ name, view }: ListedProperty): boolean =>
  instants.has(name) || view?.ask.by === 'instant';

/** The operators of the two bounds of a range. A deadline at midnight belongs to the day that ends then. */
export function rangeOf(property: ListedProperty): readonly [from: OperatorName, to: OperatorName] {
  if (property.name === '_due') return ['gt', 'lte'];
  return isInstant(property) ? ['gte', 'lt'] : ['gte', 'lte'];
}

/**
 * The day that begins at this instant, which is 00:00 in the reader's time zone. Undefined at any other time,
 * or if the values of the property are not instants.
 */
export function dayBegunBy(
  { timeZone }: SignedIn,
  property: ListedProperty,
  value: string,
): string | undefined {
  const at = isInstant(property) ? readInstant(value) : null;
  if (typeof at !== 'string' || !localTimeIn(timeZone, new Date(at)).endsWith('T00:00')) return undefined;
  return todayIn(timeZone, new Date(at));
}

/**
 * Returns the first day of a range for its lower bound, and the last day for its upper bound. Undefined if no
 * day begins at the bound, or if ranges of this property do not use the operator.
 */
export function dayOfBound(
  reader: SignedIn,
  property: ListedProperty,
  operator: OperatorName,
  value: string,
): string | undefined {
  const day = dayBegunBy(reader, property, value);
  const [from, to] = rangeOf(property);
  if (day === undefined || (operator !== from && operator !== to)) return undefined;
  return operator === to ? dayBeside(day, -1) : day;
}

/** Adds days to a day. If the text is not a day, returns the text unchanged. */
export function dayBeside(day: string, days: number): string {
  const start = startOfDay(day);
  return start ? new Date(start.getTime() + days * 86_400_000).toISOString().slice(0, 10) : day;
}

/** Converts the text of a control to the value of a URL parameter. */
export function enteredFilter(reader: SignedIn, schema: TaskSchema, name: string, value: string): string {
  const asked = filterNamed(schema, name);
  if (asked?.property.view?.ask.by === 'number') return typedNumber(value, reader.locale);
  if (!asked || !isInstant(asked.property) || !startOfDay(value)) return value;
  const day = asked.operator === rangeOf(asked.property)[1] ? dayBeside(value, 1) : value;
  return instantAt(reader.timeZone, `${day}T00:00`);
}
