import { Inject, Injectable } from '@nestjs/common';
import { type Page } from '../answers/page.dto.js';
import { pagedList } from '../answers/paged-list.js';
import { type RequestAddress } from '../answers/request-address.js';
import { type TaskList } from '../answers/send.js';
import { type FairSemaphore } from '../fair-semaphore.js';
import { CONFIG, type Config } from '../config.js';
import { idempotentRequest } from '../idempotency/idempotent-request.js';
import { onceIfKeyed } from '../idempotency/once.js';
import { type ReadPage } from '../records/pages.js';
import { findTaskKey, lockTaskKey } from '../records/task-key.js';
import { type JsonObject } from '../schema/json.js';
import { WRITERS } from '../workflows/workflows.module.js';
import { type Workflow } from '../workflows/workspace.js';
import { Workspaces } from '../workflows/workspaces.js';
import { type Comment, serializeComment, type StoredComment } from './comment.js';
import { parseComment } from './parse-comment.js';
import { commentsPage } from './read-comments.js';
import { writeComment } from './write-comment.js';

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
