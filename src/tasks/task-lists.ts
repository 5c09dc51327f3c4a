import { Inject, Injectable } from '@nestjs/common';
import { Budget } from '../budget.js';
import { CONFIG, type Config } from '../config.js';
import { countTasks } from '../records/list-sorted.js';
import { type Workflow } from '../workflows/workspace.js';
import { Workspaces } from '../workflows/workspaces.js';
import { Batches } from './batches.js';
import { pageAddress } from '../answers/request-address.js';
import { type TaskList } from '../answers/send.js';
import { type ListRequest, readList } from './list-request.js';
import { readPage } from './pages.js';

/** The lists of tasks that queries ask for. */
@Injectable()
export class TaskLists {
  /** Each list on its way holds some tasks in memory, and a slow client may take long to read them. */
  private readonly open = new Budget(100, 'Too many lists are being read.');

  constructor(
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Does the work with the list that the request asks for. */
  async use(
    workflow: Workflow,
    request: ListRequest,
    work: (list: TaskList) => Promise<void>,
  ): Promise<void> {
    await this.open.use(async () => {
      await work(await this.read(workflow, request));
    });
  }

  private async read(workflow: Workflow, request: ListRequest): Promise<TaskList> {
    return this.workspaces.withCurrent(workflow, async (current) => {
      const manager = this.workspaces.db(current);
      const batches = new Batches(manager, this.workspaces);
      const list = readList(current, request);
      const total = list.isCounted ? await countTasks(manager, current, list.conditions) : undefined;
      if (list.limit === undefined) {
        const chunks = batches.chunks(await batches.first(list));
        return { chunks, total, next: undefined };
      }
      const { rows, cursor } = await readPage(manager, list, list.limit);
      const next = cursor === undefined ? undefined : pageAddress(this.config, request, cursor);
      return { chunks: batches.chunks({ list, rows }), total, next };
    });
  }
}
