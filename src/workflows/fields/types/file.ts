import { weaker, whenHigher } from '../weaker.js';
import Type from 'typebox';
import { fieldType } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { isJsonList } from '../../../../packages/exact-json/json.js';
import { type StoredFile } from '../file-value.js';

const settings = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        ...weaker(whenHigher()),
        title: 'Limit',
        description: 'The maximum number of files.',
        minimum: 1,
        maximum: 1000,
      }),
    ),
  },
  { title: 'File', description: 'Attachments, in order.', examples: [{ name: 'Contract', limit: 5 }] },
);

/** Attachments. `properties/field.ts` parses them, because their stored values depend on the task. */
export const file = fieldType(settings, {
  expressionKind: 'list',
  example: {
    sent: [{ base64contents: 'SGVsbG8=', contentType: 'text/plain', filename: 'hello.txt' }],
    shown: [{ blobId: 'b_4kPq2…', contentType: 'text/plain', filename: 'hello.txt' }],
  },
  storage: 'blobs',
  takesDefault: false,
  blank: [],
  isBlank: (input) => isJsonList(input) && input.length === 0,
  parse: () => new Invalid('cannot have files here'),
  parseFilter: () => new Invalid('cannot be filtered'),
  serialize: (files: readonly StoredFile[]) =>
    files.map(({ blobId, contentType, filename }) => ({ blobId, contentType, filename })),
  expressionValue: (files: readonly StoredFile[]) => files.map(({ filename }) => filename),
  show: () => ({ as: 'files' }),
  ask: ({ limit }) => ({ by: 'files', limit }),
  order: () => ({ by: 'ranks', ranks: [] }),
  openapi: () => ({ type: 'array', items: { $ref: '#/components/schemas/Attachment' } }),
  openapiInput: ({ limit }) => ({
    type: ['array', 'null'],
    items: { $ref: '#/components/schemas/NewAttachment' },
    ...(limit !== undefined && { maxItems: limit }),
  }),
});
