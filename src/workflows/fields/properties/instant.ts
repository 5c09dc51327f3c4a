import { readInstant } from '../types/datetime.js';
import { type ListedProperty } from '../property.js';
import { type TaskView } from '../task-view.js';

/** The keys that only lists have: the times of a task's creation, last change and deadline. */
export const instants: ReadonlyMap<string, ListedProperty> = new Map(
  [
    instant('_created', 'created', ({ createdAt }) => createdAt),
    instant('_updated', 'updated', ({ updatedAt }) => updatedAt),
    instant('_due', 'due', ({ dueAt }) => dueAt),
  ].map((property) => [property.name, property]),
);

function instant(
  name: string,
  of: 'created' | 'updated' | 'due',
  read: (task: TaskView) => Date | null | undefined,
): ListedProperty {
  return {
    name,
    serialize: (task) => read(task)?.toISOString() ?? null,
    filter: { subject: { of }, order: { by: 'time' }, parse: readInstant },
  };
}
