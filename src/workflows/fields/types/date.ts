import Type from 'typebox';
import { isWrittenAsDay, startOfDay } from '../../../common/calendar.js';
import { Invalid } from '../invalid.js';
import { type Json } from '../../../../packages/exact-json/json.js';
import { bounded, boundSettings, times } from '../bounds.js';
import { textType } from '../field-type.js';

const noDate = 'is not a date in YYYY-MM-DD format';
export const noSuchDay = 'is not a day of the calendar';

/** A day of the calendar, from 0001-01-01 to 9999-12-31. */
export const date = textType(
  Type.Object(boundSettings, {
    title: 'Date',
    description: 'A day of the calendar as YYYY-MM-DD, years 0001 to 9999.',
    examples: [{ name: 'Closed On', min: '2020-01-01' }],
  }),
  {
    ...bounded({ ...times, read: readDay }),
    example: { sent: '2026-03-31', shown: '2026-03-31' },
    parse: readDay,
    show: () => ({ as: 'day' }),
    ask: ({ min, max }) => ({ by: 'day', ...(min && { min }), ...(max && { max }) }),
    order: () => ({ by: 'time' }),
    openapi: () => ({ type: ['string', 'null'], format: 'date' }),
  },
);

function readDay(input: Json): string | Invalid {
  if (typeof input !== 'string') return new Invalid(noDate);
  if (startOfDay(input)) return input;
  return new Invalid(isWrittenAsDay(input) ? noSuchDay : noDate);
}
