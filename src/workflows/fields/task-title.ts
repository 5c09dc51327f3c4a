import { isBlankText } from '../../common/text.js';
import { type Property } from './property.js';
import { type TaskView } from './task-view.js';

/** The part of a workflow that determines the titles of its tasks. */
interface Titled {
  readonly schema: { readonly properties: readonly Property[] };
}

/**
 * The title of a task is the value of its first one-line text field. If that value is blank or missing, the
 * title is the Unique ID, or else the public id.
 */
export function titleOf({ schema }: Titled, task: TaskView): string {
  const property = titleProperty(schema.properties);
  const title = property?.serialize(task);
  if (typeof title === 'string' && !isBlankText(title)) return title;
  return task.uniqueValue ?? task.publicId;
}

export function titleProperty(properties: readonly Property[]): Property | undefined {
  return properties.find(
    ({ view, filter }) =>
      filter?.subject.of === 'field' && view?.ask.by === 'line' && view.ask.type === undefined,
  );
}
