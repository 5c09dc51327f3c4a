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
import { type Conversion, readConversions } from './convert-values.js';
import { type WorkflowPlace } from './in-chunks.js';

export async function impactOfFields(db: EntityManager, draft: ChangedDefinition): Promise<Effect[]> {
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
  for await (const tasks of readConversions(db, place, fields, users))
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
    const mayBeBlank = fieldTypes.get(wanted.type)?.blank !== false;
    if (!wanted.required || field.required || !mayBeBlank || field.type !== wanted.type) continue;
    const isUniqueId = storageOf(field.type) === 'column';
    const blank = isUniqueId ? 'unique_value IS NULL' : 'NOT field_values ? $3';
    const values = [place.workspaceId, place.workflowId, ...(isUniqueId ? [] : [field.id])];
    const { count, examples } = await findTasks(db, blank, values);
    const name = `${workflow.slug} / ${wanted.name}`;
    const blanks = `${plural(count, 'task')} ${agree(count, 'is', 'are')} blank there`;
    const message = `${blanks}, and ${agree(count, 'stays', 'stay')} so until a write fills it`;
    effects.push(...effectOf('notes', 'field', name, count, message, examples));
  }
  return effects;
}
