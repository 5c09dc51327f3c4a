import Type from 'typebox';
import { startOfDay } from '../../../common/calendar.js';
import { Invalid } from '../invalid.js';
import { bounded, boundSettings, times } from '../bounds.js';
import { textType } from '../field-type.js';
import { noSuchDay } from './date.js';

const instantPattern =
  /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** An instant, sent in RFC 3339 with an offset and stored in UTC to the millisecond. */
export const datetime = textType(
  Type.Object(boundSettings, {
    title: 'Date and time',
    description: 'An instant in RFC 3339 with an offset; stored in UTC to the millisecond.',
    examples: [{ name: 'Starts At', max: '2099-12-31T23:59:59Z' }],
  }),
  {
    ...bounded({ ...times, read: readInstant }),
    example: { sent: '2026-03-31T18:00:00+02:00', shown: '2026-03-31T16:00:00.000Z' },
    parse: (input) => readInstant(typeof input === 'string' ? input : ''),
    show: () => ({ as: 'instant' }),
    ask: () => ({ by: 'instant' }),
    order: () => ({ by: 'time' }),
    openapi: () => ({ type: ['string', 'null'], format: 'date-time' }),
  },
);

/** Reads an instant and returns its canonical text. */
export function readInstant(text: string): string | Invalid {
  const [, day = '', hour, minute, second, fraction = '', offset = ''] =
    (text.length <= 100 && instantPattern.exec(text)) || [];
  if (day !== '' && !startOfDay(day)) return new Invalid(noSuchDay);
  if (day === '') return new Invalid('is not a date and time in RFC 3339 format with an offset');
  if (second === '60') return new Invalid('is a leap second, which cannot be stored');
  if (/[1-9]/.test(fraction.slice(3)))
    return new Invalid('is finer than a millisecond: 3 digits may follow the second');
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  if (offset === 'Z') return `${day}T${hour}:${minute}:${second}.${milliseconds}Z`;
  return inUtc(new Date(`${day}T${hour}:${minute}:${second}.${milliseconds}${offset.toUpperCase()}`));
}

// The offset may move an instant out of the years 0001 to 9999.
function inUtc(instant: Date): string | Invalid {
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999 ? instant.toISOString() : new Invalid('is outside the years 0001 to 9999');
}
