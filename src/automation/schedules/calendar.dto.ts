import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type Calendar } from '../../workflows/time/calendar.js';
import { type Duration, parseDuration } from '../../workflows/time/duration.js';
import { type WalkedDay } from '../../workflows/time/walk.js';
import { addTo } from '../../workflows/time/working-time.js';
import { beginningOfDay, DAY, LATEST } from '../../workflows/time/zone.js';
import { IsFilled, IsText, readPayload } from '../../common/http/read-dto.js';
import { startOfDay } from '../../common/calendar.js';
import { english } from '../../common/message.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { readInstant } from '../../workflows/fields/types/datetime.js';

@ApiSchema({ name: 'CalendarTrial' })
export class CalendarPayload {
  @ApiProperty({ description: 'A date and time in RFC 3339 format with an offset, or a date.' })
  @IsText()
  @IsFilled()
  readonly from?: string;

  @ApiProperty({ description: 'The duration to add, such as `16 working_hours` or `2 days`.' })
  @IsText()
  @IsFilled()
  readonly add?: string;
}

@ApiSchema({ name: 'CalendarDay' })
class ShownDay {
  @ApiProperty({ format: 'date' })
  readonly day!: string;

  @ApiProperty({ type: [String], description: 'When the calendar is open.' })
  readonly hours!: readonly string[];

  @ApiProperty({ description: 'The part of the duration on this day, in ISO 8601.' })
  readonly counted!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The holiday on this day.' })
  readonly why!: string | null;
}

export class CalendarWalk {
  @ApiProperty({ format: 'date-time' })
  readonly to!: string;

  @ApiProperty({ type: () => [ShownDay], description: 'The days on the way, 1,000 at most.' })
  readonly days!: readonly ShownDay[];
}

/** Reads the input of a trial. Throws all faults at once. */
export function parseTrial(
  calendar: Calendar,
  payload: JsonObject,
): { readonly from: number; readonly add: Duration } {
  const { value, errors } = readPayload(CalendarPayload, payload, 'a trial');
  const from = value.from === undefined ? undefined : instantIn(calendar, value.from);
  if (from instanceof Invalid) errors.add('from', from.said);
  const { value: add, refusals = [] } = parseDuration(value.add ?? '');
  for (const { message } of value.add === undefined ? [] : refusals) errors.add('add', message);
  if (add && typeof from === 'number' && addTo(calendar, from, add) > LATEST)
    errors.add('add', 'ends after the year 9999');
  errors.throwIfAny();
  if (!add || typeof from !== 'number') throw new Error('a trial was read without its parts');
  return { from, add };
}

function instantIn({ zone }: Calendar, text: string): number | Invalid {
  const day = startOfDay(text);
  if (day) return beginningOfDay(zone, day.getTime() / DAY);
  const instant = readInstant(text);
  return instant instanceof Invalid ? instant : Date.parse(instant);
}

export function showWalk({
  to,
  days,
}: {
  readonly to: number;
  readonly days: readonly WalkedDay[];
}): CalendarWalk {
  return {
    to: new Date(to).toISOString(),
    days: days.map(({ why, ...day }) => ({ ...day, why: why && english(why) })),
  };
}
