import { type FieldOptions, type FieldType, type Stored, type Users, parseValue } from './field-type.js';
import { fieldTypes } from './field-types.js';
import { type Guarded, guardsFor, type LockedKey, locksOf } from './protection.js';
import { Invalid } from './invalid.js';
import { toJson } from '../../../packages/exact-json/json.js';
import {
  assigneeProperty,
  changeableBuiltIns,
  stageProperty,
  taskUrlProperty,
} from './properties/built-ins.js';
import { fieldProperty, uniqueIdProperty, fileProperty } from './properties/field.js';
import { linkProperty, type LinkSource } from './properties/link.js';
import { type Property } from './property.js';
import { shapeOf } from './serialize-task.js';
import { type Stages, type FileField, type TaskSchema } from './task-schema.js';

export interface SchemaSource {
  readonly workflow: string;
  readonly search: boolean;
  readonly stages: Stages;
  readonly deadlines?: readonly string[];
  readonly dueAt?: TaskSchema['dueAt'];
  readonly fields: readonly FieldSource[];
  readonly links: readonly LinkSource[];
  readonly users: Users;
  /** The address of a task's page, with the placeholders `{workflow}` and `{task}`. */
  readonly taskUrl: string;
}

export interface FieldSource {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly editable: boolean;
  /** All other settings: those of the field's type, and general ones such as `default` and `change`. */
  readonly settings: Readonly<Record<string, unknown>> & {
    readonly default?: unknown;
    readonly change?: unknown;
  };
  readonly formerOptions?: readonly string[];
}

export function compileSchema(source: SchemaSource): TaskSchema {
  const fields = source.fields.map((field) => compileField(field, source.users));
  const own = [
    stageProperty(source.stages),
    assigneeProperty(source.users),
    taskUrlProperty(source.taskUrl, source.workflow),
    ...fields.map((field) => field.property),
  ];
  const properties = [...own, ...source.links.map(linkProperty)];
  const valued = fields.filter(({ type }) => type.storage !== 'column');
  const needed = valued.filter(({ field, type }) => field.required && type.blank !== false);
  const guarded = [...valued.map(guardedField), ...source.links.map(guardedLink)];
  const others = new Map(source.links.map(({ link, other }) => [link.side, other]));
  return {
    isSearched: source.search,
    stages: source.stages,
    deadlines: new Set(source.deadlines),
    dueAt: source.dueAt ?? (() => undefined),
    users: source.users,
    ...shapeOf(properties),
    own: shapeOf(own),
    links: new Map(source.links.map(({ link }) => [link.side, link])),
    byName: new Map(properties.map((property) => [property.name, property])),
    uniqueId: uniqueIdOf(fields),
    required: new Map(needed.map(({ field }) => [field.id, field.name])),
    files: new Map(fields.flatMap(fileFieldOf)),
    guards: { payload: guardsFor('payload', guarded), action: guardsFor('action', guarded) },
    locks: {
      own: locksOf(source.stages.all, [...lockedBuiltIns, ...guarded]),
      far: (side) => others.get(side)?.().locks.own ?? new Map(),
    },
    defaults: new Map(valued.flatMap(defaultOf)),
  };
}

const lockedBuiltIns: readonly LockedKey[] = [...changeableBuiltIns].map((name) => ({ key: name, name }));

interface CompiledField {
  readonly field: FieldSource;
  readonly type: FieldType;
  readonly options: FieldOptions;
  readonly property: Property;
}

function compileField(field: FieldSource, users: Users): CompiledField {
  const type = fieldTypes.get(field.type);
  if (!type) throw new Error(`no field type ${field.type}`);
  const { settings, formerOptions = [] } = field;
  const options = { ...settings, formerOptions, users };
  return { field, type, options, property: properties[type.storage](field, type, options) };
}

/** Maps the storage of a type to the function that makes a field's property. */
const properties = { values: fieldProperty, column: uniqueIdProperty, blobs: fileProperty };

function uniqueIdOf(fields: readonly CompiledField[]): TaskSchema['uniqueId'] {
  const compiled = fields.find(({ type }) => type.storage === 'column');
  if (!compiled) return undefined;
  const { name, required, settings } = compiled.field;
  return { name, required, autoincrement: compiled.type.numbers?.(settings) === true };
}

function guardedField({ field: { id, name, editable, settings } }: CompiledField): Guarded {
  return { key: id, name, isFixed: !editable, isByActions: settings.change === 'by_actions' };
}

function guardedLink({ link: { side, name, isByActions } }: LinkSource): Guarded {
  return { key: side, name, isFixed: false, isByActions };
}

function fileFieldOf({ field: { id, name }, property: { files } }: CompiledField): [string, FileField][] {
  return files ? [[id, { name, ...files }]] : [];
}

function defaultOf({ field, type, options }: CompiledField): [string, Stored][] {
  const value = parseValue(type, toJson(field.settings.default), options);
  // A default that has become invalid, such as a deactivated user, is ignored.
  return value === undefined || value instanceof Invalid ? [] : [[field.id, value]];
}
