import { fewAtATime } from '../../common/each.js';
import { type Stage } from '../../workflows/fields/task-schema.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { type TaskCount, type TaskLists } from '../../tasks/list/task-lists.service.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { chosenColumns } from '../list/columns.js';
import { type Scope } from '../../workflows/model/scope.js';
import { askedOf } from './addresses.js';

export interface Board {
  readonly scope: Scope;
  readonly columns: readonly BoardColumn[];
  /** The fields that the query adds to the cards. */
  readonly fields: readonly ListedProperty[];
}

export interface BoardColumn {
  readonly stage: Stage;
  readonly total: TaskCount;
  readonly tasks: readonly TaskRow[];
  readonly next: string | undefined;
}

/**
 * Reads a board through the lists of the API. The columns of the board are the stages that the query selects.
 */
export async function readBoard(lists: TaskLists, scope: Scope, query: URLSearchParams): Promise<Board> {
  const filters = askedOf(query);
  const { schema } = scope.workflow;
  const fields = filters.has('_fields') ? chosenColumns(schema, filters) : [];
  const counts = await lists.countByStage(scope, filters);
  const named = new Set(filters.getAll('Stage'));
  const isOpenOnly = filters.get('_active') === 'true';
  const stages = schema.stages.all.filter(
    ({ name, isEnd }) => (named.size === 0 || named.has(name)) && !(isOpenOnly && isEnd),
  );
  const columns = await fewAtATime(stages, async (stage): Promise<BoardColumn> => {
    const total = counts.get(stage.id) ?? { count: 0, isMore: false };
    if (total.count === 0) return { stage, total, tasks: [], next: undefined };
    const after = query.get('_after');
    const asked = new URLSearchParams(filters);
    asked.set('Stage', stage.name);
    asked.set('_limit', String(CARDS));
    // Cards show no linked tasks. `_fields` names no relationship, so the list does not read linked tasks.
    asked.set('_fields', 'Stage,_due');
    for (const { name } of fields) asked.append('_fields', name);
    if (after !== null) asked.set('_after', after);
    const { tasks, cursor } = await lists.page(scope, asked, CARDS);
    return { stage, total, tasks, next: cursor };
  });
  return { scope, columns, fields };
}

/** How many cards of a column are read at once. */
export const CARDS = 25;
