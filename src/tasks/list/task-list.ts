import { type EntityManager } from 'typeorm';
import { type RequestAddress } from '../../common/http/paged-list.js';
import { isQuick, readTasks, type TaskChunk } from '../store/list.repository.js';
import { type Condition } from '../../workflows/fields/condition.js';
import { type ListQuery, parseListQuery, type SortKey } from '../../workflows/fields/list-query.js';
import { invalidField } from '../../common/field-errors.js';
import { hasLinks } from '../store/task-row.js';
import { entityTag } from '../entity-tag.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { openCursor, sealCursor, type Position } from '../../common/cursor.js';
import { seenOf } from './seen-conditions.js';
import { type Scope } from '../../workflows/model/scope.js';

export interface ListRequest extends RequestAddress {
  readonly isActive: boolean;
}

export interface List extends ListQuery {
  readonly showsVersion: boolean;
  readonly scope: Scope;
  readonly request: ListRequest;
}

export function readList(scope: Scope, request: ListRequest): List {
  const query = parseListQuery(scope.workflow.schema, request.query, [versionOf(scope.workflow)]);
  const { conditions } = query;
  // Uses Object.assign, because a spread is slower: it takes 2 µs in Node.js 20.
  return Object.assign(query, {
    showsVersion: query.shape.properties.some(({ name }) => name === VERSION),
    scope,
    request,
    conditions: seenOf(scope, request.isActive ? [...conditions, active] : conditions),
  });
}

const VERSION = '_version';

/**
 * The key `_version` of a listed task. Its value is the entity tag that a GET of the task would return. The
 * value lacks the hash of the linked tasks if these were too many or too large to load.
 */
const versionOf = (workflow: Workflow): ListedProperty => ({
  name: VERSION,
  ofLinks: hasLinks(workflow),
  serialize: ({ version = 0, changedAt = 0, publicId, linked = [] }) =>
    entityTag(workflow, { version, changedAt, publicId, linked }),
});

/** Whether PostgreSQL may have to check many tasks one by one. */
export function isScan(list: List): boolean {
  return list.limit === undefined || list.isCounted || !isQuick(list);
}

const active: Condition = { is: 'any-of', subject: { of: 'active' }, values: [true], isNegated: false };

export interface ListedPage extends Pick<TaskChunk, 'rows'> {
  readonly cursor: string | undefined;
}

export async function readPage(db: EntityManager, list: List, limit: number): Promise<ListedPage> {
  const { rows, next } = await readTasks(db, list.scope, list, positionOf(list), limit);
  return { rows, cursor: next && sealCursor(list.scope.workflow, nameOf(list.sort), next) };
}

function positionOf({ scope, sort, after }: List): Position | undefined {
  if (after === undefined) return undefined;
  const position = openCursor(scope.workflow, nameOf(sort), after);
  if (!position) throw invalidField('_after', 'is not a cursor of this list; take it from the header Link');
  return position;
}

/** Describes the order of a list in its cursors, so that a cursor of another order is refused. */
function nameOf(sort: readonly SortKey[]): unknown[] {
  return sort.map(({ subject, order, isDescending }) => [subject, order.by, isDescending]);
}
