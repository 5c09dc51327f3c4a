import { Inject, Injectable } from '@nestjs/common';
import { type Page, pagedList, type RequestAddress } from '../http/paged-list.js';
import { type TaskList } from '../http/reply.js';
import { type FairSemaphore } from '../lib/semaphore.js';
import { CONFIG, type Config } from '../config.js';
import { idempotentRequest, onceIfKeyed } from '../http/idempotency.js';
import { type ReadPage } from '../task-store/linked-tasks.js';
import { findTaskKey, lockTaskKey } from '../task-store/task.repository.js';
import { type JsonObject } from '../lib/json/json.js';
import { WRITERS } from '../workspace/workspace.module.js';
import { type Workflow } from '../workspace/workspace.js';
import { Workspaces } from '../workspace/workspaces.js';
import { type Comment, serializeComment, type StoredComment, parseComment } from './comment.dto.js';
import { commentsPage, writeComment } from './comments.repository.js';

/** The comments of one task. */
@Injectable()
export class CommentsService {
  constructor(
    private readonly workspaces: Workspaces,
    @Inject(WRITERS) private readonly writers: FairSemaphore,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The comments, oldest first, all or a page of them. */
  async list(workflow: Workflow, uniqueId: string, page: Page, address: RequestAddress): Promise<TaskList> {
    return this.workspaces.withCurrent(workflow, async (current) => {
      const manager = this.workspaces.db(current);
      const task = await findTaskKey(manager, current, uniqueId);
      const read: ReadPage<StoredComment> = (after, limit) => commentsPage(manager, task, after, limit);
      const write = (row: StoredComment): string => JSON.stringify(serializeComment(row));
      const list = { workflow: current, name: ['comments', task.taskId], read, write };
      return pagedList(list, page, address, this.config);
    });
  }

  async add(
    workflow: Workflow,
    uniqueId: string,
    payload: JsonObject,
    idempotencyKey: string | undefined,
  ): Promise<Comment> {
    const asked = { route: 'comments', path: [uniqueId], body: payload };
    const request = await idempotentRequest(workflow, idempotencyKey, asked);
    return this.workspaces.withCurrent(workflow, async (current) =>
      this.writers.use(current, () =>
        onceIfKeyed(this.workspaces.db(current), request, async (tx) => {
          const task = await lockTaskKey(tx, current, uniqueId);
          const { authorId, body } = parseComment(current, payload);
          const createdAt = await writeComment(tx, task, { authorId, body });
          const author = authorId === null ? null : (current.schema.users.get(authorId)?.email ?? null);
          return serializeComment({ author, body, createdAt });
        }),
      ),
    );
  }
}
