import { type FieldType } from './field-type.js';
import { isEmptyText } from './text.js';

/** A type whose stored value is a text: what it does not say itself is as for a plain string. */
export function textType(
  own: Pick<FieldType<string>, 'parse'> & Partial<FieldType<string>>,
): FieldType<string> {
  const openapi = own.openapi ?? ((): object => ({ type: ['string', 'null'] }));
  return {
    blank: null,
    isBlank: isEmptyText,
    parseFilter: (text, options) => own.parse(text, options),
    serialize: (stored) => stored,
    order: () => ({ by: 'text' }),
    openapi,
    openapiInput: openapi,
    ...own,
  };
}
