import { Get, Post } from '@nestjs/common';
import { Refusal } from '../../common/errors.js';
import { faultsOf } from '../../common/field-errors.js';
import { type Reply } from '../../common/reply.js';
import { TaskLists } from '../../tasks/list/task-lists.service.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { TaskWriter } from '../../tasks/write-task.js';
import { Entered, WorkflowPages, type WorkflowRequest } from '../console-controller.js';
import { FormBody, statesIn, changeOf } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { type Notice } from '../parts/notices.js';
import { BoardPage, type BoardProps, nameOfCard } from './board-page.js';
import { changedPath, DONE, filtersOf, pathAs } from './addresses.js';
import { type Board, readBoard } from './boards.js';
import { readFitting } from './fitting-query.js';
import { enteredFilter } from './filter-values.js';

@WorkflowPages('workflows/:workflow')
export class BoardController {
  constructor(
    private readonly lists: TaskLists,
    private readonly tasks: TasksService,
    private readonly writer: TaskWriter,
  ) {}

  @Get()
  async page(@Entered() asked: WorkflowRequest): Promise<Reply> {
    return this.show(asked, { faults: [], done: await this.doneIn(asked) });
  }

  /** Says in which stage the changed task is now, or that the reader cannot see the task. */
  private async doneIn({ scope, query }: WorkflowRequest): Promise<Notice | undefined> {
    const [publicId] = /^[\w-]{1,64}$/.exec(query.get(DONE) ?? '') ?? [];
    if (publicId === undefined) return undefined;
    const task = await this.tasks.findNamed(scope, { publicId });
    if (!task) return { tone: 'good', lines: ['You cannot see this task now.'] };
    const stage = scope.workflow.schema.stages.get(task.stageId).name;
    return { tone: 'good', lines: [`${nameOfCard(scope.workflow, task)} is in ${stage} now`] };
  }

  @Get('filter')
  filter(@Entered() { reader, scope: { workflow }, query: sent }: WorkflowRequest): Reply {
    const query = new URLSearchParams(sent.get('others') ?? '');
    const pathOf = pathAs((['list', 'figures'] as const).find((at) => at === sent.get('at')) ?? 'board');
    for (const name of ['others', 'at']) sent.delete(name);
    // Forms also send blank controls, which the API would read as filters for blank values.
    const entered = [...sent].filter(([, value]) => value !== '');
    for (const [name] of entered) query.delete(name);
    for (const [name, value] of entered)
      query.append(name, enteredFilter(reader, workflow.schema, name, value));
    return seeOther(pathOf(workflow, query));
  }

  /** Moves a task to another stage, unless the task has changed since the board was rendered. */
  @Post('move')
  async move(@Entered() asked: WorkflowRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { scope } = asked;
    const query = filtersOf(new URLSearchParams(form.get('filters') ?? ''));
    const task = { publicId: form.get('task') ?? '' };
    const move = new Map([['Stage', form.get('stage') ?? '']]);
    try {
      await this.writer.write(scope, changeOf(task, move, statesIn(form)));
    } catch (error) {
      return this.show({ ...asked, query }, notMoved(form.get('name') ?? '', error));
    }
    return seeOther(changedPath(scope.workflow, query, task.publicId));
  }

  private async show(asked: WorkflowRequest, { status = 200, faults, done }: Shown): Promise<Reply> {
    const { scope, query } = asked;
    const read = await readFitting(scope.workflow.schema, query, (fitting) =>
      readBoard(this.lists, scope, fitting),
    );
    const board: Board = read.found ?? { scope, columns: [], fields: [] };
    const page = <BoardPage board={board} query={query} faults={[...faults, ...read.faults]} done={done} />;
    return pageReply(page, { status: read.found ? status : 422 });
  }
}

interface Shown extends Pick<BoardProps, 'faults' | 'done'> {
  readonly status?: number;
}

/** Why a task was not moved. `name` is what the board calls the task. */
function notMoved(name: string, error: unknown): Shown {
  if (error instanceof Refusal && error.kind === 'precondition-failed')
    return {
      status: 409,
      faults: [`${name} was not moved, because somebody changed it. Its current state is shown.`],
    };
  return { status: 422, faults: [`${name} was not moved`, ...faultsOf(error)] };
}
