import { clocks } from '../../automation/clocks/clocks.kind.js';
import { Get, Post } from '@nestjs/common';
import { type Action, actionsOf } from '../../actions/action.js';
import { faultsOf } from '../../common/field-errors.js';
import { randomText } from '../../common/random-id.js';
import { type Reply } from '../../common/reply.js';
import { Inboxes } from '../../messages/inbox/inboxes.js';
import { parseListQuery } from '../../workflows/fields/list-query.js';
import { TaskLists } from '../../tasks/list/task-lists.service.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { FormBody } from '../form-body.js';
import { Entered, WorkflowPages, type WorkflowRequest } from '../console-controller.js';
import { askedOf, listPath } from '../board/addresses.js';
import { pageReply, seeOther } from '../page.js';
import { sentValue } from '../parts/control.js';
import { refusalOf } from '../parts/notices.js';
import { isNoNumber } from '../parts/number.js';
import { questionsOf } from '../task-shown.js';
import { BulkEdits, type BulkOperation, MAX_CHOSEN } from '../../executions/bulk-edits.js';
import { chosenIn, onceIn, bulkMenus, settableFields } from './bulk-bar.js';
import { type BulkAnswer, doneIn, donePath, outcomeNotice } from './bulk-outcome.js';
import { chosenColumns, defaultColumns, leadOf } from './columns.js';
import { ListPage, type Rows } from './list-page.js';
import { type Scope } from '../../workflows/model/scope.js';

/** The tasks of a workflow in a table. */
@WorkflowPages('workflows/:workflow/list')
export class ListController {
  constructor(
    private readonly lists: TaskLists,
    private readonly edits: BulkEdits,
    private readonly inboxes: Inboxes,
  ) {}

  @Get()
  async page(@Entered() request: WorkflowRequest): Promise<Reply> {
    return this.show(request, { notice: doneIn(request) });
  }

  /** Does one thing with the tasks that were chosen, and says what became of each. */
  @Post()
  async change(@Entered() request: WorkflowRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { reader, scope, query } = request;
    const chosen = chosenIn(form);
    const ids = new Set(chosen.map(({ publicId }) => publicId));
    const refused = (text: string): Promise<Reply> =>
      this.show(request, { notice: refusalOf([{ text }]), chosen: ids });
    if (chosen.length === 0) return refused('No task is selected. Tick the boxes of the tasks to change.');
    if (chosen.length > MAX_CHOSEN) return refused(`At most ${MAX_CHOSEN} tasks can be changed at a time.`);
    const action = (await actionsOf(scope)).find(({ id }) => id === (form.get('sure') ?? form.get('action')));
    const questions = action ? questionsOf(scope.workflow, action) : [];
    if (action && questions.length > 0 && !form.has('sure'))
      return this.show(request, { chosen: ids, asks: { ...action, questions } });
    const name = form.get('set') ?? form.get('field') ?? '';
    const field = settableFields(scope).get(name);
    if (field && !form.has('set')) return this.show(request, { chosen: ids, asks: { name, field } });
    const value = field && sentValue(field, form.getAll('value'), reader);
    // Each task would say the same.
    if (field?.by === 'number' && isNoNumber(value))
      return this.show(request, { chosen: ids, asks: { name, field, sent: value } });
    const operation = value === undefined ? operationIn(form, action) : { name, value };
    if (!operation) return refused('Choose what to do with the selected tasks.');
    const outcomes = await this.edits.apply(scope, chosen, operation);
    const left = outcomes.filter(({ became }) => became === 'refused');
    if (left.length === 0) return seeOther(donePath(listPath(scope.workflow, query), outcomes));
    const notice = outcomeNotice(scope, outcomes);
    // The page waits for what changes after this: shown anew, it would lose what is chosen in it.
    const inbox = await this.inboxes.state({ workspace: reader.workspace, userId: reader.user.id });
    request.request.reader = { ...reader, inbox };
    return this.show(request, { notice, chosen: new Set(left.map(({ publicId }) => publicId)) });
  }

  private async show({ reader, scope, query }: WorkflowRequest, answer: BulkAnswer): Promise<Reply> {
    const found = await this.read(scope, query).catch(faultsOf);
    const isRefused = Array.isArray(found) || answer.chosen !== undefined;
    const menus = bulkMenus(reader, scope, await actionsOf(scope));
    const bulk = { ...answer, menus, once: randomText(9) };
    const page = <ListPage scope={scope} query={query} found={found} bulk={bulk} />;
    return pageReply(page, { status: isRefused ? 422 : 200 });
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
    return this.lists.table(scope, query, `${scope.workflow.slug}.csv`);
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
    if (clocks.in(scope.workflow).length > 0) read.append('_fields', '_due');
    const found = await this.lists.page(scope, read, ROWS);
    return { ...found, columns: chosenColumns(found.workflow.schema, query) };
  }
}

/** What a button of the form asks for; nothing where the form has no such button. */
function operationIn(form: URLSearchParams, action: Action | undefined): BulkOperation | undefined {
  if (action) return { actionId: action.id, once: onceIn(form) };
  if (form.has('assign')) return { name: 'Assigned To', value: form.get('assign') };
  return form.has('stage') ? { name: 'Stage', value: form.get('stage') } : undefined;
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
