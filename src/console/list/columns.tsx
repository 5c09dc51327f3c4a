import { type VNode } from 'preact';
import { JsonText } from '../../../packages/exact-json/json.js';
import { parseListQuery } from '../../workflows/fields/list-query.js';
import { type ListedProperty, type Property } from '../../workflows/fields/property.js';
import { instants } from '../../workflows/fields/properties/built-ins.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { titleProperty } from '../../workflows/fields/task-title.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { filterPath, type FilterProps, withoutNames } from '../board/addresses.js';
import { StageBadge } from '../parts/badge.js';
import { DueTime } from '../parts/due.js';
import { Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { shownAs, Value } from '../parts/value.js';
import { labelOf } from '../task-shown.js';

/** The value of a task's property in a table or on a card. */
export function Cell({ workflow, task, column }: CellProps): VNode | null {
  if (column.name === 'Stage') return <StageBadge of={workflow} id={task.stageId} />;
  if (column.name === '_due') return <DueCell workflow={workflow} task={task} />;
  const value = column.serialize(task);
  if (value === null || value === '' || value instanceof JsonText) return null;
  return <Value show={shownAs(column)} value={typeof value === 'string' ? shortened(value) : value} />;
}

interface CellProps extends DueProps {
  readonly column: ListedProperty;
}

export function DueCell({ workflow, task: { dueAt, stageId } }: DueProps): VNode | null {
  if (!dueAt || workflow.schema.stages.get(stageId).isEnd) return null;
  return <DueTime at={dueAt} />;
}

interface DueProps {
  readonly workflow: Workflow;
  readonly task: TaskRow;
}

/** Tables and cards show only the beginning of long texts. */
const shortened = (text: string): string => {
  const letters = Array.from(text.slice(0, 2 * MAX_LETTERS));
  return letters.length > MAX_LETTERS ? `${letters.slice(0, MAX_LETTERS).join('')}…` : text;
};

const MAX_LETTERS = 200;

/** The panel that chooses the columns of a list, or the fields on the cards of a board. */
export function Columns({ workflow, filters, at, shown }: ColumnsProps): VNode {
  const others = withoutNames(filters, new Set(['_fields'])).toString();
  return (
    <>
      <button type="button" class="quiet" popovertarget="columns">
        <Icon name="board" /> {at === 'list' ? 'Columns' : 'Fields'}
      </button>
      <form action={filterPath(workflow)} class="panel" id="columns" popover="auto">
        <Hidden fields={{ others, at }} />
        <div class="panel-ticks">
          {columnsOf(workflow.schema).map(({ name }) => (
            <label class="tick">
              <input
                type="checkbox"
                name="_fields"
                value={name}
                checked={shown.some((column) => column.name === name)}
              />
              {labelOf(name)}
            </label>
          ))}
        </div>
        <button type="submit">Show</button>
      </form>
    </>
  );
}

interface ColumnsProps extends FilterProps {
  readonly shown: readonly ListedProperty[];
}

/** The property in the first column, which links to the task: the title, or else the Unique ID. */
export function leadOf({ properties, byName, uniqueId }: TaskSchema): Property | undefined {
  return titleProperty(properties) ?? (uniqueId && byName.get(uniqueId.name));
}

/**
 * The properties that can be columns after the first column. Linked tasks and files cannot be columns: only
 * the page of a task shows them.
 */
function columnsOf(schema: TaskSchema): ListedProperty[] {
  const lead = leadOf(schema);
  return [
    ...schema.properties.filter((property) => isShown(property) && property !== lead),
    ...instants.values(),
  ];
}

/** The columns that the query of a list names; throws if the query is invalid. */
export function chosenColumns(schema: TaskSchema, query: URLSearchParams): ListedProperty[] {
  const known = new Set(columnsOf(schema).map(({ name }) => name));
  return parseListQuery(schema, query).shape.properties.filter(({ name }) => known.has(name));
}

/** The default columns of a table: the first few properties that are not long texts, and the deadline. */
export function defaultColumns(workflow: Workflow): string[] {
  const { schema } = workflow;
  const lead = leadOf(schema);
  const due = schema.deadlines.size > 0 ? ['_due'] : [];
  const first = schema.properties
    .filter((property) => isShown(property) && property !== lead && property.view?.show.as !== 'lines')
    .slice(0, MAX_COLUMNS - due.length);
  return [...first.map(({ name }) => name), ...due];
}

/** The title and this many columns fit a window of 1,280 px. */
const MAX_COLUMNS = 4;

const isShown = ({ filter, links, files }: Property): boolean => filter !== undefined && !links && !files;
