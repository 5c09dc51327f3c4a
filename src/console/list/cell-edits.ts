import { type ListedProperty, type Property } from '../../schema/property.js';
import { type TaskRow } from '../../task-store/task-row.js';
import { mayEdit } from '../../workspace/allowed.js';
import { type Scope } from '../../workspace/scope.js';
import { askedBy, keptOf, placeOfTask } from '../task/task-view.js';

/**
 * What tells scripts which cells of a table can be edited: the head of a column where the page of a task asks for its
 * value, a row the columns where that task keeps its own. A link in each cell would make lists half as long again.
 */
interface CellEdits {
  /** By column; undefined where nothing in it can be edited. */
  readonly marks: readonly (string | undefined)[];
  keptOf(task: TaskRow): string | undefined;
}

/** The edits that the reader may make in a table of these tasks. */
export function cellEdits(
  scope: Scope,
  tasks: readonly TaskRow[],
  columns: readonly (ListedProperty | undefined)[],
): CellEdits {
  const properties = columns.map((column) => scope.workflow.schema.byName.get(column?.name ?? ''));
  const marks = properties.map((property) =>
    property && tasks.some((task) => isEditable(scope, task, property)) ? markOf(property) : undefined,
  );
  return {
    marks,
    keptOf(task) {
      const kept = properties.flatMap((property, at) =>
        property && marks[at] !== undefined && !isEditable(scope, task, property) ? [at] : [],
      );
      return kept.length > 0 ? kept.join(' ') : undefined;
    },
  };
}

const markOf = (property: Property): string =>
  `${encodeURIComponent(property.name)}#${placeOfTask(property)}`;

/** Whether the reader may change the value of this key. */
const isEditable = (scope: Scope, task: TaskRow, property: Property): boolean =>
  mayEdit(scope, task) &&
  askedBy(property, scope, task) !== undefined &&
  keptOf({ scope, task }, property) === undefined;
