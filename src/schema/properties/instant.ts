import { readInstant } from '../types/datetime.js';
import { type ListedProperty } from '../property.js';
import { type TaskView } from '../task-view.js';

/** The keys that only a list knows: when a task was created, and when it was last changed. */
export const instants: ReadonlyMap<string, ListedProperty> = new Map(
  [
    instant('_created', 'created', ({ createdAt }) => createdAt),
    instant('_updated', 'updated', ({ updatedAt }) => updatedAt),
  ].map((property) => [property.name, property]),
);

function instant(
  name: string,
  of: 'created' | 'updated',
  read: (task: TaskView) => Date | undefined,
): ListedProperty {
  return {
    name,
    serialize: (task) => read(task)?.toISOString() ?? null,
    filter: { subject: { of }, order: { by: 'time' }, parse: readInstant },
  };
}
