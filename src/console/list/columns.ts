import { type ListedProperty, type Property } from '../../schema/property.js';
import { instants } from '../../schema/properties/instant.js';
import { type TaskSchema } from '../../schema/task-schema.js';
import { type Workflow } from '../../workspace/workspace.js';
import { titleProperty } from '../task-shown.js';

/** The key that the first column of a table shows, and leads to the tasks by: their title or, where there is none, the Unique ID. */
export function leadOf({ properties, byName, uniqueId }: TaskSchema): Property | undefined {
  return titleProperty(properties) ?? (uniqueId && byName.get(uniqueId.name));
}

/** The keys that a table can show beside that: linked tasks and files are shown by the page of a task. */
export function columnsOf(schema: TaskSchema): ListedProperty[] {
  const lead = leadOf(schema);
  return [
    ...schema.properties.filter((property) => isShown(property) && property !== lead),
    ...instants.values(),
  ];
}

/** What a table shows unless it is told: the first few, without texts of many lines. */
export function defaultColumns({ schema }: Workflow): string[] {
  const lead = leadOf(schema);
  return schema.properties
    .filter((property) => isShown(property) && property !== lead && property.view?.show.as !== 'lines')
    .slice(0, MAX_COLUMNS)
    .map(({ name }) => name);
}

const MAX_COLUMNS = 6;

const isShown = ({ filter, links, files }: Property): boolean => filter !== undefined && !links && !files;
