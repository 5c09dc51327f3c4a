import { type FieldType } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { isJsonList } from '../json-list.js';

const attachment = {
  type: 'object',
  properties: {
    blobId: { type: 'string' },
    contentType: { type: 'string' },
    filename: { type: 'string' },
  },
  required: ['blobId', 'contentType', 'filename'],
};

/** Attachments: the field itself stores nothing, and a payload of fields alone can only leave it empty. */
export const file: FieldType<never> = {
  blank: [],
  isBlank: (input) => isJsonList(input) && input.length === 0,
  parse: (input) => new Invalid(isJsonList(input) ? 'does not accept attachments here' : 'is not an array'),
  parseFilter: () => new Invalid('cannot be filtered'),
  serialize: () => [],
  order: () => ({ by: 'ranks', ranks: [] }),
  openapi: () => ({ type: 'array', items: attachment }),
};
