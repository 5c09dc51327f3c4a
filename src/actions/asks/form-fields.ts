import Type, { type Static } from 'typebox';
import { fieldTypes, storageOf } from '../../workflows/fields/field-types.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import {
  isMapping,
  type JsonValue,
  readAs,
  readShape,
  takePlace,
} from '../../workflows/model/definition-reader.js';
import { refers } from '../../workflows/model/marks.js';
import { closedMapping, type SettingWords } from '../../workflows/model/schema-parts.js';
import { fileTypes } from './file-types.js';

const MAX_FIELDS = 50;

const formField = Type.Object({
  field: Type.String({ ...refers('field'), title: 'Field', description: 'The name of a field.' }),
  required: Type.Optional(
    Type.Boolean({ title: 'Required', description: 'Whether the form requires a value.', default: false }),
  ),
  types: Type.Optional(
    Type.Array(Type.String({ title: 'Type', description: 'A media type.', enum: fileTypes }), {
      title: 'Types',
      description:
        'The types of files that the form accepts. The content of each file is checked. Default: all types.',
      minItems: 1,
      examples: [['application/pdf']],
    }),
  ),
  max: Type.Optional(
    Type.String({
      title: 'Max',
      description: 'The largest size of one file; 20 MB at most.',
      pattern: '^[1-9][0-9]{0,4} (kB|MB)$',
      $comment: 'is not a size such as 5 MB or 800 kB',
      examples: ['5 MB'],
    }),
  ),
});

export type FormField = Readonly<Static<typeof formField>>;

export const formFields = (words: SettingWords) =>
  readAs(
    Type.Unsafe<readonly FormField[]>({
      ...words,
      type: 'array',
      minItems: 1,
      maxItems: MAX_FIELDS,
      items: {
        ...closedMapping,
        ...refers('field'),
        title: 'Field',
        description: 'The name of a field, or a mapping with the name and with rules for the answer.',
        type: ['string', 'object'],
        properties: formField.properties,
        required: ['field'],
      },
    }),
    (value) => (Array.isArray(value) ? takePlace(value, value.map(readField)) : []),
  );

const readField = (value: JsonValue): FormField =>
  readShape(formField, isMapping(value) ? value : { field: value });

/** Reports fields that occur twice or do not suit forms, and settings that do not fit a field's type. */
export function checkFormFields(
  holder: { readonly fields: readonly FormField[] },
  { fields: known }: WorkflowScope,
  report: Report,
): void {
  holder.fields.forEach((asked, at) => {
    const field = known.get(asked.field);
    const isTwice = holder.fields.findIndex(({ field: name }) => name === asked.field) < at;
    if (isTwice) report(holder.fields, at, `is asked for twice: ${asked.field}`);
    if (!field) return;
    const why = refusedTypes.get(field.type);
    if (why !== undefined) report(holder.fields, at, why);
    if (field.change === 'by_actions') report(holder.fields, at, 'is a field that only actions change');
    if (storageOf(field.type) === 'blobs') return;
    for (const key of ['types', 'max'] as const)
      if (asked[key] !== undefined) report(asked, key, 'applies only to file fields');
  });
}

const refusedTypes: ReadonlyMap<string, string> = new Map(
  [...fieldTypes].flatMap(([type, { storage }]) => {
    if (type === 'person') return [[type, 'is a person field, which would show the users to people outside']];
    return storage === 'column' ? [[type, 'is the Unique ID, which people outside never enter']] : [];
  }),
);

export function maxBytesOf({ max = '20 MB' }: FormField): number {
  const [count, unit] = max.split(' ');
  return Number(count) * (unit === 'MB' ? 1_000_000 : 1000);
}
