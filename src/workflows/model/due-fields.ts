import { type DueField } from '../fields/task-schema.js';
import { type Calendar } from '../time/calendar.js';
import { momentOf, zoneOf } from '../time/zone.js';
import { type FieldEntity } from './entities/field.entity.js';
import { type StageEntity } from './entities/stage.entity.js';
import { type WorkflowEntity } from './entities/workflow.entity.js';
import { listIn } from './list-in.js';

/** The settings of a clock whose deadline is in a field. */
interface DueClock {
  readonly due?: { readonly field: string; readonly at?: string };
  readonly stops?: { readonly stages: readonly string[] };
  readonly calendar?: string;
}

/** The fields of a stored workflow that hold deadlines. `calendars` are those of the workspace. */
export function dueFieldsOf(
  workflow: WorkflowEntity,
  stages: readonly StageEntity[],
  fields: readonly FieldEntity[],
  timezone: string,
  calendars: ReadonlyMap<string, Calendar>,
): DueField[] {
  // Only checked clocks are stored, so they have this type.
  return (listIn(workflow, 'clocks') as readonly DueClock[]).flatMap(({ due, stops, calendar }) => {
    const field = fields.find(({ name }) => name === due?.field);
    const zone = calendar === undefined ? zoneOf(timezone) : calendars.get(calendar)?.zone;
    if (!field || !zone) return [];
    const stopped = stages.filter(({ name, isEnd }) => stops?.stages.includes(name) ?? isEnd);
    return {
      fieldId: field.id,
      stops: new Set(stopped.map(({ id }) => id)),
      momentOf: (text) => momentOf(zone, text, due?.at ?? 'end'),
    };
  });
}
