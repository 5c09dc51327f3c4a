import { type Property } from '../../workflows/fields/property.js';
import { isBlankText } from '../../common/text.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type TaskView } from '../../workflows/fields/task-view.js';

/** The title of a task: its first field of one-line text, or otherwise its Unique ID. */
export function titleOf({ schema }: Workflow, task: TaskView): string {
  const property = titleProperty(schema.properties);
  const title = property?.serialize(task);
  if (typeof title === 'string' && !isBlankText(title)) return title;
  return task.uniqueValue ?? task.publicId;
}

/** The key of the title. */
export function titleProperty(properties: readonly Property[]): Property | undefined {
  return properties.find(
    ({ view, filter }) =>
      filter?.subject.of === 'field' && view?.ask.by === 'line' && view.ask.type === undefined,
  );
}
