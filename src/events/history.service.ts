import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { type Page, pagedList, type RequestAddress } from '../http/paged-list.js';
import { type TaskList } from '../http/replies.js';
import { taskUrlOf } from '../ops/public-address.js';
import { type ReadPage } from '../task-store/linked-tasks.js';
import { findTaskKey, type TaskKey } from '../task-store/task-keys.js';
import { UnitOfWork } from '../workspace/unit-of-work.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { Workspaces } from '../workspace/workspaces.js';
import { namesOf } from './event-names.js';
import { historyPage } from './events.repository.js';
import { withSeenLinks } from './seen-links.js';
import { serializeEvent } from './serialize-event.js';

/** What happened to one task. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The events of the task, newest first, all or a page of them. */
  async list(workflow: Workflow, uniqueId: string, page: Page, address: RequestAddress): Promise<TaskList> {
    return this.work.read(workflow, async (db, current) => {
      const task = await findTaskKey(db, current, uniqueId);
      const workspace = await this.workspaces.get(current.workspaceId);
      const read = readHistory(db, task, workspace, taskUrlOf(this.config), current);
      const write = ({ json }: Shown): string => json;
      const list = { workflow: current, name: ['history', task.taskId], read, write };
      return pagedList(list, page, address, this.config);
    });
  }
}

interface Shown {
  readonly json: string;
}

/** Reads the events of a task page by page, as clients see them; as the viewer of its workflow does, where there is one. */
export function readHistory(
  db: EntityManager,
  task: TaskKey,
  workspace: Workspace,
  taskUrl: string,
  viewed?: Workflow,
): ReadPage<Shown> {
  return async (before, limit) => {
    const page = await historyPage(db, task, before, limit);
    const found = page.rows.map(({ event }) => event);
    const events = viewed ? await withSeenLinks(db, viewed, found) : found;
    const names = await namesOf(db, workspace, taskUrl, events);
    return { ...page, rows: events.map((event) => serializeEvent(event, names)) };
  };
}
