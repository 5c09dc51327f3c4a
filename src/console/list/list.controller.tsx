import { Get } from '@nestjs/common';
import { faultsOf } from '../../lib/field-errors.js';
import { type Reply } from '../../lib/reply.js';
import { parseListQuery } from '../../schema/list-query.js';
import { TaskLists } from '../../tasks/list/task-lists.service.js';
import { type Workflow } from '../../workspace/workspace.js';
import { Entered, WorkflowPages, type WorkflowRequest } from '../entrances.js';
import { askedOf, listPath } from '../board/addresses.js';
import { LiveChanges } from '../live/live-changes.js';
import { pageReply, seeOther } from '../page.js';
import { chosenColumns, defaultColumns, leadOf } from './columns.js';
import { ListPage, type Rows } from './list-page.js';
import { type Scope } from '../../workspace/scope.js';

/** The tasks of a workflow in a table. */
@WorkflowPages('workflows/:workflow/list')
export class ListController {
  constructor(
    private readonly lists: TaskLists,
    private readonly changes: LiveChanges,
  ) {}

  @Get()
  async page(@Entered() { to, scope, query }: WorkflowRequest): Promise<Reply> {
    const live = await this.changes.path(to, { workflow: scope.workflow.slug });
    const found = await this.read(scope, query).catch(faultsOf);
    const status = Array.isArray(found) ? 422 : 200;
    const page = <ListPage to={to} scope={scope} query={query} found={found} live={live} />;
    return pageReply(page, { status });
  }

  /** All that the list shows on all its pages, as a file of CSV. */
  @Get('export')
  export(@Entered() { scope, query: shown }: WorkflowRequest): Reply {
    const query = exportedBy(scope.workflow, shown);
    try {
      parseListQuery(scope.workflow.schema, query);
    } catch (error) {
      // The page says what is wrong with it.
      faultsOf(error);
      return seeOther(listPath(scope.workflow, query));
    }
    const asked = { origin: '', path: '', query, isActive: false };
    return this.lists.table(scope, asked, `${scope.workflow.slug}.csv`);
  }

  /** The page that a query of the API's lists asks for, with the columns that it names. */
  private async read(scope: Scope, asked: URLSearchParams): Promise<Rows> {
    const query = askedOf(asked);
    const after = asked.get('_after');
    if (after !== null) query.set('_after', after);
    query.set('_limit', String(ROWS));
    query.set('_count', 'true');
    if (!query.has('_fields'))
      for (const name of defaultColumns(scope.workflow)) query.append('_fields', name);
    const read = new URLSearchParams(query);
    // What is overdue is marked, whichever columns are shown.
    if (scope.workflow.clocks.length > 0) read.append('_fields', '_due');
    const request = { origin: '', path: '', query: read, isActive: false };
    const found = await this.lists.page(scope, request, ROWS);
    return { ...found, columns: chosenColumns(found.workflow.schema, query) };
  }
}

/** The query of a list with the columns that its page shows, the first of them included. */
function exportedBy(workflow: Workflow, asked: URLSearchParams): URLSearchParams {
  const { schema } = workflow;
  const query = askedOf(asked);
  if (!query.has('_fields')) for (const name of defaultColumns(workflow)) query.append('_fields', name);
  const lead = leadOf(schema);
  if (lead) query.append('_fields', lead.name);
  return query;
}

/** Of a page. */
const ROWS = 50;
