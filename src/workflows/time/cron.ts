import cronParser from 'cron-parser';
import { excerpt } from '../../common/wording.js';
import { type Parsed, refused } from './parsed.js';
import { DAY, HOUR, MINUTE } from './zone.js';

export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /**
   * Whether the hour is `*`, or a step over all hours. Such an expression fires in both hours when the clock
   * repeats an hour.
   */
  readonly isHourly: boolean;
}

/** Parses a cron expression with five parts: minute, hour, day of the month, month, day of the week. */
export function parseCron(text: string): Parsed<Cron> {
  const texts = text.trim().split(/\s+/);
  if (texts.length !== 5)
    return refused(
      `does not have five parts such as 0 7 * * MON (minute, hour, day, month, day of the week): ${excerpt(text)}`,
    );
  const [, hour = '', day, , weekday] = texts;
  if (day !== '*' && weekday !== '*') return refused(namesBoth);
  const fields = fieldsOf(texts);
  if (!fields) {
    const wrong = texts.findIndex((part, at) => !fieldsOf(['*', '*', '*', '*', '*'].with(at, part)));
    const hint = wrong < 0 ? '' : `; the ${partNames[wrong]} is wrong`;
    return refused(
      `is not a cron expression such as 0 7 * * MON or */15 8-18 * * *: ${excerpt(text)}${hint}`,
    );
  }
  const cron = {
    minutes: fields.minute,
    hours: fields.hour,
    days: new Set(fields.dayOfMonth.map(Number)),
    months: new Set(fields.month),
    weekdays: new Set(fields.dayOfWeek.map((each) => each % 7)),
    isHourly: /^\*(\/\d+)?$/.test(hour),
  };
  const isEver = nextNominal(cron, 0) !== undefined;
  return isEver ? { value: cron } : refused(`names a day that none of its months has: ${excerpt(text)}`);
}

/** An item between commas. Excludes signs such as L (last day), because programs differ on their meaning. */
const item = /^(\*|(\d{1,2}|[a-z]{3})-(\d{1,2}|[a-z]{3}))(\/\d{1,2})?$|^(\d{1,2}|[a-z]{3})$/i;

const namesBoth =
  'names a day of the month and a day of the week: programs differ on whether both must match, so write * for one of them';

const partNames = ['minute', 'hour', 'day', 'month', 'day of the week'];

/** The values of each part; undefined if the parts are not a cron expression. */
function fieldsOf(parts: readonly string[]) {
  if (!parts.every((part) => part.split(',').every((each) => item.test(each)))) return undefined;
  try {
    return cronParser.parseExpression(parts.join(' ')).fields;
  } catch {
    return undefined;
  }
}

// A number of days that is longer than any gap between two firings. Leap days can be eight years apart, as
// from 1896 to 1904.
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
