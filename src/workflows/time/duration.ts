import { didYouMean } from '../../common/did-you-mean.js';
import { excerpt } from '../../common/wording.js';
import { type Parsed, refused } from './parsed.js';
import { DAY, HOUR, MINUTE } from './zone.js';

/**
 * What a unit measures: elapsed time, local time (in which each day has 24 hours), working time, or working
 * days.
 */
export type Measure = 'elapsed' | 'wall' | 'working' | 'working_days';

/**
 * For each unit: what it measures, its size in milliseconds or working days, and the greatest amount that a
 * duration may have.
 */
const facts = {
  minutes: { measure: 'elapsed', size: MINUTE, most: 5_256_000 },
  hours: { measure: 'elapsed', size: HOUR, most: 87_600 },
  days: { measure: 'wall', size: DAY, most: 3650 },
  working_minutes: { measure: 'working', size: MINUTE, most: 5_256_000 },
  working_hours: { measure: 'working', size: HOUR, most: 87_600 },
  working_days: { measure: 'working_days', size: 1, most: 3650 },
} as const satisfies Record<string, { measure: Measure; size: number; most: number }>;

type DurationUnit = keyof typeof facts;

export const units = Object.keys(facts).filter(isDurationUnit);

export interface Duration {
  readonly amount: number;
  readonly unit: DurationUnit;
}

export interface Quantity {
  readonly measure: Measure;
  readonly amount: number;
}

export function quantityOf({ amount, unit }: Duration): Quantity {
  const { measure, size } = facts[unit];
  return { measure, amount: amount * size };
}

/** Parses a duration such as `4 working_hours` or `1 day`. It must not exceed `longest` years. */
export function parseDuration(text: string, longest: 'five' | 'ten' = 'ten'): Parsed<Duration> {
  const [, digits, word = ''] = /^(\d{1,9}) ([a-z_]+)$/i.exec(text) ?? [];
  if (digits === undefined)
    return refused(`is not a duration such as 4 working_hours or 3 days: ${excerpt(text)}`);
  const amount = Number(digits);
  const unit = amount === 1 && !word.endsWith('s') ? `${word}s` : word;
  if (!isDurationUnit(unit))
    return refused(`has a unit that is not one of ${units.join(', ')}: ${word}${didYouMean(word, units)}`);
  if (amount === 0) return refused('is zero');
  const { most } = facts[unit];
  const limit = longest === 'ten' ? most : most / 2;
  if (amount > limit) return refused(`is longer than ${longest} years (${limit} ${unit})`);
  return { value: { amount, unit } };
}

function isDurationUnit(text: string): text is DurationUnit {
  return Object.hasOwn(facts, text);
}

export function durationText({ amount, unit }: Duration): string {
  return `${amount} ${Math.abs(amount) === 1 ? unit.slice(0, -1) : unit}`;
}

export function needsHours({ unit }: Duration): boolean {
  return unit.startsWith('working_');
}
