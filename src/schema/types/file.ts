import Type from 'typebox';
import { type FieldType } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { isJsonList } from '../../lib/json/json.js';
import { type StoredFile } from '../file-value.js';

/** Attachments. What a payload's array asks for, `properties/file.ts` reads: no value can tell it without the task. */
export const file: FieldType<readonly StoredFile[]> = {
  settings: {
    limit: Type.Optional(
      Type.Integer({ title: 'Limit', description: 'file: the most files.', minimum: 1, maximum: 1000 }),
    ),
  },
  takesDefault: false,
  blank: [],
  isBlank: (input) => isJsonList(input) && input.length === 0,
  parse: () => new Invalid('cannot have files here'),
  parseFilter: () => new Invalid('cannot be filtered'),
  serialize: (files) => files.map(({ blobId, contentType, filename }) => ({ blobId, contentType, filename })),
  order: () => ({ by: 'ranks', ranks: [] }),
  openapi: () => ({ type: 'array', items: { $ref: '#/components/schemas/Attachment' } }),
  openapiInput: ({ limit }) => ({
    type: ['array', 'null'],
    items: { $ref: '#/components/schemas/NewAttachment' },
    ...(limit !== undefined && { maxItems: limit }),
  }),
};
