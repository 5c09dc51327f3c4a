import { Get, Post } from '@nestjs/common';
import { actionsOf } from '../../actions/action.js';
import { faultsOf } from '../../common/field-errors.js';
import { randomText } from '../../common/random-id.js';
import { type Reply } from '../../common/reply.js';
import { parseListQuery } from '../../workflows/fields/list-query.js';
import { TaskLists } from '../../tasks/list/task-lists.service.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { FormBody } from '../form-body.js';
import { Entered, WorkflowPages, type WorkflowRequest } from '../console-controller.js';
import { askedOf, listPath, ofAnswers, withoutNames } from '../board/addresses.js';
import { readFitting } from '../board/fitting-query.js';
import { pageReply, seeOther } from '../page.js';
import { refusalOf } from '../parts/notices.js';
import { questionsOf } from '../task-shown.js';
import { BulkEdits, type BulkOperation, type ChosenTask, MAX_CHOSEN } from '../../executions/bulk-edits.js';
import { chosenIn, onceIn } from './bulk-bar.js';
import {
  type BulkAnswer,
  type BulkQuestion,
  doneIn,
  donePath,
  outcomeNotice,
  undoIn,
  undoOf,
} from './bulk-outcome.js';
import { bulkMenus, BulkPreviews, keysOfMenus } from './bulk-preview.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { nameOf } from '../../workflows/model/task-name.js';
import { stateOfTask } from '../../tasks/store/task-row.js';
import { TaskReader } from '../task/task-data.js';
import { toJson } from '../../../packages/exact-json/json.js';
import { chosenColumns, defaultColumns, leadOf } from './columns.js';
import { ListPage, type TableRows } from './list-page.js';
import { type Scope } from '../../workflows/model/scope.js';
import { fewAtATime } from '../../common/each.js';

@WorkflowPages('workflows/:workflow/list')
export class ListController {
  constructor(
    private readonly lists: TaskLists,
    private readonly edits: BulkEdits,
    private readonly tasks: TasksService,
    private readonly reader: TaskReader,
    private readonly previews: BulkPreviews,
  ) {}

  @Get()
  async page(@Entered() request: WorkflowRequest): Promise<Reply> {
    return this.show(request, { notice: doneIn(request) });
  }

  /** Applies an operation to the chosen tasks, or first asks a question. Also undoes the last operation. */
  @Post()
  async change(@Entered() request: WorkflowRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const chosen = chosenIn(form);
    const ids = new Set(chosen.map(({ publicId }) => publicId));
    const refused = (text: string): Promise<Reply> =>
      this.show(request, { notice: refusalOf([text]), chosen: ids });
    if (form.has('undo')) return this.undo(request, form.get('undo') ?? '');
    if (chosen.length === 0) return refused('No task is selected. Tick the boxes of the tasks to change.');
    if (chosen.length > MAX_CHOSEN) return refused(`At most ${MAX_CHOSEN} tasks can be changed at a time.`);
    const asks = await this.questionIn(form, request, chosen);
    if (asks) return this.show(request, { chosen: ids, asks });
    const operation = await operationIn(form, request.scope);
    if (!operation) return refused('Choose what to do with the selected tasks.');
    return this.apply(request, chosen, operation);
  }

  private async questionIn(
    form: URLSearchParams,
    { reader, scope }: WorkflowRequest,
    chosen: readonly ChosenTask[],
  ): Promise<BulkQuestion | undefined> {
    const menu = (await bulkMenus(reader, scope)).find(({ name }) => name === form.get('ask'));
    if (menu) return this.previews.of(menu, reader, scope, chosen);
    const action = (await actionsOf(scope)).find(({ id }) => id === form.get('action'));
    const questions = action ? questionsOf(scope.workflow, action) : [];
    return action && questions.length > 0 ? { ...action, questions } : undefined;
  }

  private async apply(
    request: WorkflowRequest,
    chosen: readonly ChosenTask[],
    operation: BulkOperation,
  ): Promise<Reply> {
    const { scope, query } = request;
    const outcomes = await this.edits.apply(scope, chosen, operation);
    const left = outcomes.filter(({ became }) => became === 'refused');
    const undo = undoOf(operation, outcomes);
    if (left.length === 0)
      return seeOther(donePath(listPath(scope.workflow, withoutNames(query, ofAnswers)), outcomes, undo));
    const notice = outcomeNotice(request, outcomes, undo);
    return this.show(request, { notice, chosen: new Set(left.map(({ publicId }) => publicId)) });
  }

  /** Restores the previous value of a property in each task in which the property has not changed again. */
  private async undo(request: WorkflowRequest, undo: string): Promise<Reply> {
    const { reader, scope } = request;
    const { name, versions } = undoIn(undo);
    const found = await fewAtATime([...versions], async ([publicId, version]) => {
      const task = await this.tasks.findNamed(scope, { publicId });
      const events = task ? (await this.reader.latestHistory(scope, nameOf(task))).shown : [];
      const last = events.find(({ data }) => Object.hasOwn(data.changes ?? {}, name));
      const { actor, changes = {}, task: then } = last?.data ?? {};
      const change = changes[name] ?? {};
      const isSame = then?.version === version && actor?.id === reader.user.email && 'from' in change;
      // If the property has changed again, the state is ''. No task has this state, so the write is refused.
      return { publicId, state: task && isSame ? stateOfTask(task) : '', value: toJson(change.from ?? null) };
    });
    const values = new Map(found.map(({ publicId, value }) => [publicId, value]));
    return this.apply(request, found, { name, valueOf: (publicId) => values.get(publicId) ?? null });
  }

  private async show({ reader, scope, query }: WorkflowRequest, answer: BulkAnswer): Promise<Reply> {
    const read = await readFitting(scope.workflow.schema, query, (fitting) => this.read(scope, fitting));
    const isRefused = !read.found || answer.chosen !== undefined;
    const menus = await bulkMenus(reader, scope);
    const bulk = { ...answer, menus, once: randomText(9) };
    const page = <ListPage scope={scope} query={query} read={read} bulk={bulk} />;
    return pageReply(page, { status: isRefused ? 422 : 200 });
  }

  @Get('export')
  export(@Entered() { scope, query: shown }: WorkflowRequest): Reply {
    const query = exportedBy(scope.workflow, shown);
    try {
      parseListQuery(scope.workflow.schema, query);
    } catch (error) {
      // If the query has no faults, `faultsOf` rethrows the error. The page of the list shows the faults.
      faultsOf(error);
      return seeOther(listPath(scope.workflow, query));
    }
    return this.lists.table(scope, query, `${scope.workflow.slug}.csv`);
  }

  /** Reads a page of rows for a query, with the columns that the query names or the default columns. */
  private async read(scope: Scope, asked: URLSearchParams): Promise<TableRows> {
    const query = askedOf(asked);
    const after = asked.get('_after');
    if (after !== null) query.set('_after', after);
    query.set('_limit', String(ROWS));
    query.set('_count', 'true');
    if (!query.has('_fields'))
      for (const name of defaultColumns(scope.workflow)) query.append('_fields', name);
    const read = new URLSearchParams(query);
    // The deadline is always read, because overdue tasks are marked in every table.
    if (scope.workflow.schema.deadlines.size > 0) read.append('_fields', '_due');
    const found = await this.lists.page(scope, read, ROWS);
    return { ...found, columns: chosenColumns(found.workflow.schema, query) };
  }
}

/** The operation that a form asks for; undefined if the form names no operation. */
async function operationIn(form: URLSearchParams, scope: Scope): Promise<BulkOperation | undefined> {
  const action = (await actionsOf(scope)).find(({ id }) => id === (form.get('sure') ?? form.get('action')));
  if (action) return { actionId: action.id, once: onceIn(form) };
  for (const [menu, name] of Object.entries(keysOfMenus)) {
    const value = form.get(menu);
    if (value !== null) return { name, valueOf: () => value };
  }
  return undefined;
}

/** The query for the export of a list, with all columns of the page, including the first. */
function exportedBy(workflow: Workflow, asked: URLSearchParams): URLSearchParams {
  const { schema } = workflow;
  const query = askedOf(asked);
  if (!query.has('_fields')) for (const name of defaultColumns(workflow)) query.append('_fields', name);
  const lead = leadOf(schema);
  if (lead) query.append('_fields', lead.name);
  return query;
}

const ROWS = 50;
