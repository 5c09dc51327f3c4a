import { type Property } from '../schema/property.js';
import { type Workflow } from '../workspace/workspace.js';
import { type TaskView } from '../schema/task-view.js';

/** What a task is called: its first line of text, or else its Unique ID. */
export function titleOf({ schema }: Workflow, task: TaskView): string {
  const property = titleProperty(schema.properties);
  const title = property?.serialize(task);
  if (typeof title === 'string' && title.trim() !== '') return title;
  return task.uniqueValue ?? task.publicId;
}

/** The key that a task is called by. */
export function titleProperty(properties: readonly Property[]): Property | undefined {
  return properties.find(
    ({ view, filter }) =>
      filter?.subject.of === 'field' && view?.ask.by === 'line' && view.ask.type === undefined,
  );
}
