import { didYouMean } from '../../common/did-you-mean.js';
import { excerpt } from '../../common/wording.js';
import { type Parsed, type PlacedFault, refused } from './parsed.js';
import { DAY, HOUR, MINUTE } from './zone.js';

export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** From 0 for Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Whether its hours are `*` or a step over all hours. Then an hour that occurs twice fires twice. */
  readonly isHourly: boolean;
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** One of the five places: its name, its range, and names for its values, beginning with the lowest. */
interface Place {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const places: readonly Place[] = [
  { name: 'a minute', least: 0, most: 59 },
  { name: 'an hour', least: 0, most: 23 },
  { name: 'a day of the month', least: 1, most: 31 },
  { name: 'a month', least: 1, most: 12, names: monthNames },
  // Sunday is 0 or 7.
  { name: 'a day of the week', least: 0, most: 7, names: weekdayNames },
];

/** Parses a cron expression with five places: minute, hour, day of the month, month, day of the week. */
export function parseCron(text: string): Parsed<Cron> {
  const texts = text.trim().split(/\s+/);
  if (texts.length !== places.length || text.length > 200)
    return refused(
      `does not have five parts such as 0 7 * * MON (minute, hour, day, month, day of the week): ${excerpt(text)}`,
    );
  const [, hour = '', day, , weekday] = texts;
  const parts = places.map((place, at) => parsePlace(texts[at] ?? '', place));
  const both = day !== '*' && weekday !== '*' ? refused(namesBoth).refusals : [];
  const refusals = [...parts.flatMap((part) => part.refusals ?? []), ...both];
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = parts.map(({ value }) => value);
  const cron = {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((each) => each % 7)),
    isHourly: /^\*(\/\d+)?$/.test(hour),
  };
  if (refusals.length > 0) return { refusals };
  const isEver = nextNominal(cron, 0) !== undefined;
  return isEver ? { value: cron } : refused(`names a day that no month has: ${excerpt(text)}`);
}

const namesBoth =
  'names a day of the month and a day of the week: programs differ on whether both must match, so leave one of them *';

function parsePlace(text: string, place: Place): Parsed<number[]> {
  const ranges = text.split(',').map((range) => parseRange(range, place));
  const refusals: PlacedFault[] = ranges.flatMap((range) => range.refusals ?? []);
  if (refusals.length > 0) return { refusals };
  return { value: [...new Set(ranges.flatMap(({ value = [] }) => value))].sort((one, other) => one - other) };
}

/** Parses `*`, `5`, `1-5`, and a range with a step. */
function parseRange(text: string, place: Place): Parsed<number[]> {
  const [, range = '', first = '', last, step = '1'] =
    /^(\*|(\w+)(?:-(\w+))?)(?:\/(\d{1,2}))?$/.exec(text) ?? [];
  const isAll = range === '*';
  if (range === '' || (!isAll && last === undefined && text.includes('/')))
    return refused(
      `has ${place.name} that is not valid: ${excerpt(text)}; write 5, 1-5, */5 or 0-30/5, or several separated by commas`,
    );
  const { value: from = place.least, refusals } = isAll ? {} : parseNumber(first, place);
  if (refusals) return { refusals };
  const { value: to = isAll ? place.most : from, refusals: ofLast } =
    last === undefined ? {} : parseNumber(last, place);
  if (ofLast) return { refusals: ofLast };
  // As the end of a range, Sunday may be 7, as in FRI-SUN.
  const end = to < from && to === 0 && place.names === weekdayNames ? 7 : to;
  if (end < from) return refused(`has ${place.name} that ends before it begins: ${text}`);
  if (Number(step) === 0) return refused(`has ${place.name} with a step of 0: ${text}`);
  const count = Math.floor((end - from) / Number(step)) + 1;
  return { value: Array.from({ length: count }, (_, at) => from + at * Number(step)) };
}

function parseNumber(text: string, { name, least, most, names = [] }: Place): Parsed<number> {
  const named = names.indexOf(text.toLowerCase());
  const value = named < 0 ? Number(/^\d{1,2}$/.exec(text)?.[0] ?? NaN) : named + least;
  if (value >= least && value <= most) return { value };
  return refused(`has ${name} that is not ${least} to ${most}: ${excerpt(text)}${didYouMean(text, names)}`);
}

// The longest gap between two firings is that between two 29 Februaries, such as 1896 and 1904.
const LONGEST = 9 * 366;

/** The first local time of a cron expression within [from, before), at most nine years ahead. */
export function nextNominal(cron: Cron, from: number, before = Infinity): number | undefined {
  const first = Math.floor(from / DAY);
  for (let day = first; day < first + LONGEST && day * DAY < before; day += 1) {
    if (!isOnDay(cron, day)) continue;
    for (const hour of cron.hours)
      for (const minute of cron.minutes) {
        const nominal = day * DAY + hour * HOUR + minute * MINUTE;
        if (nominal >= from) return nominal < before ? nominal : undefined;
      }
  }
  return undefined;
}

function isOnDay({ days, months, weekdays }: Cron, day: number): boolean {
  const date = new Date(day * DAY);
  return days.has(date.getUTCDate()) && months.has(date.getUTCMonth() + 1) && weekdays.has(date.getUTCDay());
}
