import { type ListedProperty, type Property } from '../../schema/property.js';
import { instants } from '../../schema/properties/instant.js';
import { type TaskSchema } from '../../schema/task-schema.js';
import { type Workflow } from '../../workspace/workspace.js';
import { titleProperty } from '../task-shown.js';

/** The keys that a table can show: linked tasks and files are shown by the page of a task. */
export function columnsOf({ properties }: TaskSchema): ListedProperty[] {
  return [...properties.filter(isShown), ...instants.values()];
}

/** What a table shows unless it is told: beside the title, the first few, without texts of many lines. */
export function defaultColumns({ schema }: Workflow): string[] {
  const title = titleProperty(schema.properties);
  return schema.properties
    .filter((property) => isShown(property) && property !== title && property.view?.show.as !== 'lines')
    .slice(0, MAX_COLUMNS)
    .map(({ name }) => name);
}

const MAX_COLUMNS = 6;

const isShown = ({ filter, links, files }: Property): boolean => filter !== undefined && !links && !files;
