import { calendarWithoutHours } from '../../workflows/time/calendar.js';
import { type Duration, parseDuration } from '../../workflows/time/duration.js';
import { type Firing, labelsOf } from '../../workflows/time/firings.js';
import { addTo } from '../../workflows/time/working-time.js';
import { DAY, dayText, type Zone } from '../../workflows/time/zone.js';
import { compileTemplate } from '../../workflows/expressions/template.js';
import { type Condition } from '../../workflows/fields/condition.js';
import { controls } from '../../workflows/fields/filters.js';
import { parseListQuery } from '../../workflows/fields/list-query.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { invalidField } from '../../common/field-errors.js';

export interface FiringPlace {
  readonly firing: Firing;
  readonly zone: Zone;
}

interface Placeholder {
  readonly label: Label;
  readonly shift: Duration | undefined;
}

type Label = (typeof labels)[number];

const labels = ['date', 'time', 'week', 'month', 'now'] as const;

/** Maps a label to the units of time that a placeholder may add or subtract. Other labels allow none. */
const shifts: Readonly<Partial<Record<Label, readonly string[]>>> = {
  date: ['days'],
  now: ['minutes', 'hours', 'days'],
};

export const placeholders = {
  isKnown: (name: string): boolean => parsePlaceholder(name) !== undefined,
  allowed: 'allowed are date, time, week, month, now, {{date - 3 days}} and {{now - 72 hours}}',
};

/** A text of a schedule with its placeholders replaced; `write` encodes each value. */
export function fillIn(
  text: string,
  place: FiringPlace,
  write: (value: string) => string = (value) => value,
): string {
  return compileTemplate(text).render(({ name }) => {
    const placeholder = parsePlaceholder(name);
    return placeholder ? write(valueOf(placeholder, place)) : '';
  });
}

function parsePlaceholder(text: string): Placeholder | undefined {
  const [, name = '', sign, duration = ''] = /^(\w+)(?: *([+-]) *(.+))?$/.exec(text) ?? [];
  const label = labels.find((each) => each === name);
  if (!label) return undefined;
  if (sign === undefined) return { label, shift: undefined };
  const { value } = parseDuration(duration);
  if (!value || shifts[label]?.includes(value.unit) !== true) return undefined;
  return { label, shift: sign === '-' ? { ...value, amount: -value.amount } : value };
}

function valueOf({ label, shift }: Placeholder, { firing, zone }: FiringPlace): string {
  if (label === 'now') {
    const at = shift ? addTo(calendarWithoutHours(zone.name), firing.instant, shift) : firing.instant;
    return new Date(at).toISOString();
  }
  if (label === 'date' && shift) return dayText(Math.floor(firing.nominal / DAY) + shift.amount);
  return labelsOf(firing)[label];
}

/** Converts the query of a firing to conditions. Throws `InvalidFields` if the query is invalid. */
export function conditionsOf(schema: TaskSchema, query: string, place: FiringPlace): readonly Condition[] {
  const parameters = new URLSearchParams(fillIn(query, place, encodeURIComponent));
  for (const name of parameters.keys())
    if (controls.has(name) && name !== '_search')
      throw invalidField(name, 'is not for schedules: the action starts on all tasks found');
  return parseListQuery(schema, parameters).conditions;
}
