import { fieldType, plain } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { type Json } from '../../../../packages/exact-json/json.js';
import { isBlankText } from '../../../common/text.js';

/** A checkbox. Only a tick is stored, so blank and `false` are the same. */
export const checkbox = fieldType(plain('Checkbox', 'Ticked or not: true or false, never blank.', 'Urgent'), {
  expressionKind: 'boolean',
  example: { sent: 'true', shown: true },
  blank: false,
  isBlank: isBlankText,
  parse: readTick,
  parseFilter: readTick,
  serialize: (stored) => stored,
  show: () => ({ as: 'tick' }),
  ask: () => ({ by: 'tick' }),
  order: () => ({ by: 'rank', ranks: [null, true] }),
  indexedAs: 'exact',
  openapi: () => ({ type: 'boolean' }),
  openapiInput: () => ({ enum: [true, false, 'true', 'false', null] }),
});

function readTick(input: Json): true | undefined | Invalid {
  if (input === true || input === 'true') return true;
  if (input === false || input === 'false') return undefined;
  return new Invalid('is neither true nor false');
}
