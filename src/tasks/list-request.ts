import { type RequestAddress } from '../answers/request-address.js';
import { isFoundByIndex } from '../records/access-path.js';
import { type Condition } from '../schema/condition.js';
import { type ListQuery, parseListQuery } from '../schema/list-query.js';
import { type Workflow } from '../workflows/workspace.js';

/** Which of a workflow's tasks a request asks for. */
export interface ListRequest extends RequestAddress {
  readonly isActive: boolean;
}

/** A request for a list as one definition understands it. */
export interface List extends ListQuery {
  readonly workflow: Workflow;
  readonly request: ListRequest;
  /** Whether its order is that of creation, and in which direction. */
  readonly isByCreation: boolean;
  readonly isNewestFirst: boolean;
}

/** Reads the request by the workflow's definition. */
export function readList(workflow: Workflow, request: ListRequest): List {
  const query = parseListQuery(workflow.schema, request.query);
  const [first] = query.sort;
  return {
    ...query,
    workflow,
    request,
    conditions: request.isActive ? [...query.conditions, active] : query.conditions,
    isByCreation: !first || first.subject.of === 'created',
    isNewestFirst: first?.isDescending === true,
  };
}

/** Whether many tasks may have to be looked at for it, one by one. */
export function isScan({ limit, isByCreation, isCounted, conditions }: List): boolean {
  return limit === undefined || !isByCreation || isCounted || !isFoundByIndex(conditions);
}

const active: Condition = { is: 'any-of', subject: { of: 'active' }, values: [true], isNegated: false };
