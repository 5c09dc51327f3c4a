import { type EntityManager } from 'typeorm';
import { type Users } from '../../workflows/fields/field-type.js';
import { fieldTypes, storageOf } from '../../workflows/fields/field-types.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import {
  type ChangedField,
  type ChangedFields,
  findChangedFields,
  isNarrowed,
  isRetyped,
  usersAfter,
} from '../../workflows/model/changed-fields.js';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import {
  type Effect,
  effectOf,
  type EffectExample,
  MAX_EXAMPLES,
  findTasks,
} from '../../workflows/model/effect.js';
import { agree, plural } from '../../common/wording.js';
import { type Conversion, findRepeated, readConversions } from './convert-values.js';
import { type WorkspaceDefinition, type WorkflowDefinition } from '../../workflows/model/definition.js';
import { type FieldDefinition } from '../../workflows/model/field-definition.js';
import { type WorkflowPlace } from './in-chunks.js';
import { TaskEntity } from '../store/task.entity.js';
import { indexKindOf, isTextField } from '../store/index-fields.js';

export async function impactOfFields(db: EntityManager, draft: ChangedDefinition): Promise<Effect[]> {
  const { merged } = draft;
  const effects: Effect[] = [];
  const users = usersAfter(draft);
  for (const changed of findChangedFields(draft)) {
    const { workflow, fields } = changed;
    const place = { workspaceId: workflow.workspaceId, workflowId: workflow.id };
    const validated = fields.filter((field) => isRetyped(field) || isNarrowed(field));
    const tallies = validated.length > 0 ? await tally(db, place, validated, users) : [];
    effects.push(
      ...tallies.flatMap((one) => effectsOf(workflow.slug, one)),
      ...(await impactOfRequired(db, place, changed)),
      ...(await impactOfNew(db, changed, merged)),
      ...(await impactOfIndexes(db, changed, merged)),
    );
  }
  return effects;
}

interface Tally {
  readonly change: ChangedField;
  fitting: number;
  readonly unfitting: Hits;
  /** Values that fit the type but break the rules of the field. */
  readonly breaking: Hits;
}

interface Hits {
  count: number;
  readonly examples: EffectExample[];
}

async function tally(
  db: EntityManager,
  place: WorkflowPlace,
  fields: readonly ChangedField[],
  users: Users,
): Promise<Tally[]> {
  const hits = (): Hits => ({ count: 0, examples: [] });
  const tallies = new Map<ChangedField, Tally>();
  for (const change of fields)
    tallies.set(change, { change, fitting: 0, unfitting: hits(), breaking: hits() });
  const repeated = await findRepeated(db, place, fields);
  for await (const tasks of readConversions(db, place, fields, { users, repeated }))
    for (const { uniqueValue, conversions } of tasks)
      for (const conversion of conversions) {
        const one = tallies.get(conversion.change);
        if (one) count(one, uniqueValue, conversion, users);
      }
  return [...tallies.values()];
}

function count(one: Tally, id: string | null, { change, stored, value }: Conversion, users: Users): void {
  const { field, wanted } = change;
  const hit = (hits: Hits, { message: reason }: Invalid): void => {
    hits.count += 1;
    if (hits.examples.length === MAX_EXAMPLES) return;
    const shown = fieldTypes.get(field.type)?.serialize(stored, { ...field.settings, users });
    hits.examples.push({ id, value: shown, reason });
  };
  if (value instanceof Invalid) {
    hit(one.unfitting, value);
    return;
  }
  one.fitting += 1;
  if (value === undefined) return;
  const broken = fieldTypes.get(wanted.type)?.validate?.(value, { ...wanted, users });
  if (broken) hit(one.breaking, broken);
}

function effectsOf(workflow: string, { change, fitting, unfitting, breaking }: Tally): Effect[] {
  const name = `${workflow} / ${change.wanted.name}`;
  const values = (count: number, one: string, many: string): string =>
    `${plural(count, 'value')} ${agree(count, one, many)}`;
  const stay = (count: number): string => `and ${agree(count, 'stays', 'stay')}`;
  const rules = `${values(breaking.count, 'breaks', 'break')} its rules, ${stay(breaking.count)}`;
  const broken = effectOf('notes', 'field', name, breaking.count, rules, breaking.examples);
  if (!isRetyped(change)) {
    const kept = `${values(unfitting.count, 'does not meet', 'do not meet')} its new settings, ${stay(unfitting.count)}`;
    return [...effectOf('notes', 'field', name, unfitting.count, kept, unfitting.examples), ...broken];
  }
  const { type } = change.wanted;
  const fit = `${values(fitting, 'fits', 'fit')} the type ${type}, ${stay(fitting)}`;
  const lost = `${values(unfitting.count, 'does not fit', 'do not fit')} the type ${type}`;
  return [
    ...effectOf('notes', 'field', name, fitting, fit),
    ...broken,
    ...effectOf('loses', 'field', name, unfitting.count, lost, unfitting.examples),
  ];
}

/** Counts the tasks with a blank value. They may stay blank, because `required` applies to writes only. */
async function impactOfRequired(
  db: EntityManager,
  place: WorkflowPlace,
  { workflow, fields }: ChangedFields,
): Promise<Effect[]> {
  const effects: Effect[] = [];
  for (const { field, wanted } of fields) {
    const isNew = mayBeMissing(wanted) && !field.required;
    if (!isNew || field.type !== wanted.type) continue;
    const isUniqueId = storageOf(field.type) === 'column';
    const blank = isUniqueId ? 'unique_value IS NULL' : 'NOT field_values ? $3';
    const values = [place.workspaceId, place.workflowId, ...(isUniqueId ? [] : [field.id])];
    const { count, examples } = await findTasks(db, blank, values);
    const name = `${workflow.slug} / ${wanted.name}`;
    effects.push(...effectOf('notes', 'field', name, count, staysBlank(count), examples));
  }
  return effects;
}

/** Counts the tasks without a value for a new required field, which are all of them. */
async function impactOfNew(
  db: EntityManager,
  { workflow: { workspaceId, id, slug }, fields }: ChangedFields,
  merged: WorkspaceDefinition,
): Promise<Effect[]> {
  const known = new Set(fields.map(({ wanted }) => wanted));
  const wanted = merged.workflows.find((workflow) => workflow.id === slug)?.fields ?? [];
  const added = wanted.filter((field) => !known.has(field) && mayBeMissing(field));
  if (added.length === 0) return [];
  const { count, examples } = await findTasks(db, 'true', [workspaceId, id]);
  return added.flatMap(({ name }) =>
    effectOf('notes', 'field', `${slug} / ${name}`, count, staysBlank(count), examples),
  );
}

function mayBeMissing({ required, type }: FieldDefinition): boolean {
  return required && fieldTypes.get(type)?.blank !== false;
}

function staysBlank(count: number): string {
  return `${plural(count, 'task')} ${agree(count, 'is', 'are')} blank there, and ${agree(count, 'stays', 'stay')} so until a write fills it`;
}

async function impactOfIndexes(
  db: EntityManager,
  changed: ChangedFields,
  merged: WorkspaceDefinition,
): Promise<Effect[]> {
  const { workspaceId, id: workflowId, slug } = changed.workflow;
  const wanted = merged.workflows.find(({ id }) => id === slug);
  const begun = wanted ? [...begunOrders(changed, wanted), ...begunWords(changed, wanted)] : [];
  if (begun.length === 0) return [];
  const count = await db.countBy(TaskEntity, { workspaceId, workflowId });
  const tasks = `${plural(count, 'task')} ${agree(count, 'comes', 'come')}`;
  return begun.flatMap(({ what, name, index, cost }) =>
    effectOf('notes', what, name, count, `${tasks} into ${index} in the background; ${cost} more`),
  );
}

/** An index that is filled after the apply. */
interface BegunIndex {
  readonly what: 'field' | 'workflow';
  readonly name: string;
  readonly index: string;
  readonly cost: string;
}

function begunOrders({ fields }: ChangedFields, { id, fields: wanted }: WorkflowDefinition): BegunIndex[] {
  const known = new Map(
    fields.map(({ field: { type, settings }, wanted }) => [
      wanted,
      indexKindOf({ type, index: settings['index'] }),
    ]),
  );
  return wanted
    .filter((field) => indexKindOf(field) && indexKindOf(field) !== known.get(field))
    .map(({ name }) => ({
      what: 'field',
      name: `${id} / ${name}`,
      index: 'its index',
      cost: 'each write then costs up to 8 %',
    }));
}

/** The index of words. It is rebuilt if other fields become text fields, or cease to be. */
function begunWords({ workflow, fields }: ChangedFields, { id, search }: WorkflowDefinition): BegunIndex[] {
  const isAnew = fields.some(({ field, wanted }) => isTextField(field) !== isTextField(wanted));
  if (search !== true || (workflow.search && !isAnew)) return [];
  const cost = 'each write of a text then costs about a quarter';
  return [{ what: 'workflow', name: id, index: 'its index of words', cost }];
}
