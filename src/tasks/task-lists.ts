import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Budget } from '../budget.js';
import { CONFIG, type Config } from '../config.js';
import { countTasks } from '../records/list-sorted.js';
import { type Workflow } from '../workflows/workspace.js';
import { Workspaces } from '../workflows/workspaces.js';
import { Batches } from './batches.js';
import { type ListRequest, readList } from './list-request.js';
import { readPage } from './pages.js';

/** A list on its way out. */
export interface TaskList {
  /** The tasks' JSON with commas between them, read as it is asked for. */
  readonly chunks: AsyncGenerator<string>;
  /** The address of the next page. */
  readonly next: string | undefined;
  /** How many tasks meet the filters, where that was asked for. */
  readonly total: number | undefined;
}

/** The lists of tasks that queries ask for. */
@Injectable()
export class TaskLists {
  private readonly batches: Batches;
  /** Each list on its way holds some tasks in memory, and a slow client may take long to read them. */
  private readonly open = new Budget(100, 'Too many lists are being read.');

  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.batches = new Batches(dataSource.manager, workspaces);
  }

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
    const { manager } = this.dataSource;
    return this.workspaces.withCurrent(workflow, async (current) => {
      const list = readList(current, request);
      const total = list.isCounted ? await countTasks(manager, current, list.conditions) : undefined;
      if (list.limit === undefined) {
        const chunks = this.batches.chunks(await this.batches.first(list));
        return { chunks, total, next: undefined };
      }
      const { rows, cursor } = await readPage(manager, list, list.limit);
      const next = cursor === undefined ? undefined : pageAddress(this.config, request, cursor);
      return { chunks: this.batches.chunks({ list, rows }), total, next };
    });
  }
}

function pageAddress({ publicUrl }: Config, { origin, path, query }: ListRequest, cursor: string): string {
  const next = new URLSearchParams(query);
  next.set('_after', cursor);
  return `${publicUrl ?? origin}${path}?${next.toString()}`;
}
