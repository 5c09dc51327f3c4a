import { builtInNames } from '../../workflows/fields/properties/built-ins.js';
import { type Result } from '../../workflows/expressions/results.js';
import { type Template } from '../../workflows/expressions/template.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { type FieldType, readValue } from '../../workflows/fields/field-type.js';
import { fieldTypes, storageOf } from '../../workflows/fields/field-types.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { type FieldDefinition, missingSettings } from '../../workflows/model/field-definition.js';
import { kindOfField, type WorkflowScope } from '../../workflows/model/check/kit.js';

/** A value, as far as it is known without a task: a text with these parts, or typical values of its kind. */
type Shape =
  | { readonly is: 'text'; readonly holding: readonly string[] }
  | { readonly is: 'sample'; readonly samples: Json[] };

export type Variable = Exclude<Result, { is: 'constant' }>;

/** The result of a template. A template that is a single reference keeps the kind of its value. */
export function resultOf({ parts }: Template): Variable {
  const [only, ...others] = parts;
  if (typeof only === 'object' && others.length === 0) return { is: 'field', name: only.name };
  return { is: 'text', holding: parts.filter((part) => typeof part === 'string') };
}

/** Why a value from a task of `own` can never fit a field of `target`; undefined if it may. */
export function misfit(
  result: Variable,
  own: WorkflowScope,
  name: string,
  target: WorkflowScope,
): string | undefined {
  const shape = shapeOf(result, own);
  const field = target.fields.get(name);
  if (!shape || (field ? mayFit(shape, field, target) : shape.is === 'text')) return undefined;
  const type = field ? `, of type ${field.type}` : '';
  return `gives ${nounOf(result, own)}, which never fits ${name}${type}`;
}

function shapeOf(result: Variable, own: WorkflowScope): Shape | undefined {
  if (result.is === 'text') return result;
  return result.is === 'field'
    ? shapeOfField(result.name, own)
    : { is: 'sample', samples: samples[result.is] };
}

const samples: Readonly<Record<Exclude<Variable['is'], 'text' | 'field'>, Json[]>> = {
  number: ['1', '123456789'],
  boolean: [true],
  list: [[]],
  today: ['2026-01-31'],
  now: ['2026-01-31T12:00:00.000Z'],
};

function shapeOfField(name: string, { fields, workspace: { users } }: WorkflowScope): Shape | undefined {
  const field = fields.get(name);
  if (!field) return builtInNames.has(name) ? { is: 'text', holding: [] } : undefined;
  const kind = storageOf(field.type) === 'blobs' ? undefined : kindOfField(field);
  if (kind !== 'text') return kind && { is: 'sample', samples: samples[kind] };
  const type = fieldTypes.get(field.type);
  return type?.order({ ...field, users }).by === 'time'
    ? { is: 'sample', samples: [String(type.example.shown)] }
    : { is: 'text', holding: [] };
}

function mayFit(shape: Shape, field: FieldDefinition, { workspace: { users } }: WorkflowScope): boolean {
  const type = fieldTypes.get(field.type);
  if (!type || missingSettings(field).length > 0) return true;
  if (shape.is === 'text') return takesTexts(type, field, shape.holding);
  const isTaken = (input: Json): boolean =>
    !(readValue(type, input, { ...field, users }) instanceof Invalid) ||
    // Options may begin like a number or a date.
    (typeof input === 'string' &&
      [field.options].flat().some((option) => typeof option === 'string' && /^-?\d/.test(option)));
  return shape.samples.some(isTaken);
}

/** A text with letters is neither a number nor a date. */
function takesTexts(type: FieldType, field: FieldDefinition, holding: readonly string[]): boolean {
  if (Array.isArray(type.blank)) return false;
  const { by } = type.order({ ...field, users: { ranked: [], find: () => undefined, get: () => undefined } });
  return (by !== 'number' && by !== 'time') || holding.every((text) => /^[\dTZ:.+-]*$/.test(text));
}

function nounOf(result: Variable, { fields }: WorkflowScope): string {
  if (result.is !== 'field') return nouns[result.is];
  const type = fields.get(result.name)?.type;
  return type === undefined ? result.name : `${result.name}, of type ${type}`;
}

const nouns = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  today: 'a date',
  now: 'a date with its time',
} as const;
