import { startOfDay } from '../../lib/calendar.js';
import { Invalid } from '../invalid.js';
import { textType } from '../field-type.js';

/** A real calendar day, 0001-01-01 to 9999-12-31. */
export const date = textType({
  parse: (input) =>
    typeof input === 'string' && startOfDay(input)
      ? input
      : new Invalid('is not a date in YYYY-MM-DD format'),
  order: () => ({ by: 'time' }),
  openapi: () => ({ type: ['string', 'null'], format: 'date' }),
});
