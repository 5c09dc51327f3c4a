import { type TaskSchema } from '../fields/task-schema.js';
import { instantText, momentOf, zoneOf } from '../time/zone.js';
import { type FieldEntity } from './entities/field.entity.js';
import { listIn } from './list-in.js';
import { type Workflow } from './workspace.js';

/** A clock. `due` names the field that holds the deadline; absent if no field holds the deadline. */
interface DueClock {
  readonly due?: { readonly field: string; readonly at?: string };
  readonly stops?: { readonly stages: readonly string[] };
  readonly calendar?: string;
}

/** Makes a function that finds when a new task is due. It uses the clocks whose deadlines are in fields. */
export function dueByFields(
  workflow: object,
  fields: readonly FieldEntity[],
  { timezone, calendars }: Pick<Workflow, 'timezone' | 'calendars'>,
): TaskSchema['dueAt'] {
  // Only checked clocks are stored, so they have this type.
  const ends = (listIn(workflow, 'clocks') as readonly DueClock[]).flatMap(({ due, stops, calendar }) => {
    const field = fields.find(({ name }) => name === due?.field);
    const zone = calendar === undefined ? zoneOf(timezone) : calendars.get(calendar)?.zone;
    return field && zone ? { id: field.id, zone, at: due?.at, stops: stops?.stages } : [];
  });
  return (stage, valueOf) => {
    const moments = ends.flatMap(({ id, zone, at, stops }) => {
      const value = (stops?.includes(stage.name) ?? stage.isEnd) ? undefined : valueOf(id);
      return typeof value === 'string' ? momentOf(zone, value, at) : [];
    });
    return moments.length === 0 ? undefined : instantText(Math.min(...moments));
  };
}
