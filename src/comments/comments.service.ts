import { Inject, Injectable } from '@nestjs/common';
import { type PageQuery, pagedList, type RequestAddress } from '../common/http/paged-list.js';
import { type TaskList } from '../common/http/replies.js';
import { CONFIG, type Config } from '../config.js';
import { idempotentRequest, once } from '../common/http/idempotency.js';
import { findTaskKey } from '../tasks/store/task-keys.js';
import { lockTaskToEdit } from '../tasks/store/task.repository.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { type TaskName, textOfName } from '../workflows/model/task-name.js';
import { type Comment, serializeComment, type StoredComment, parseComment } from './comment.dto.js';
import { addressesOfNobody, type Mentions } from './mentions.js';
import { commentsPage, writeComment } from './comments.repository.js';
import { type Scope } from '../workflows/model/scope.js';
import { type ReadPage } from '../common/id-page.js';

@Injectable()
export class CommentsService {
  constructor(
    private readonly work: UnitOfWork,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Lists the comments, oldest first, as a whole or in pages. */
  async list(scope: Scope, name: TaskName, page: PageQuery, address: RequestAddress): Promise<TaskList> {
    return this.work.read(scope, async (db, current) => {
      const task = await findTaskKey(db, current, name);
      const read: ReadPage<StoredComment> = (after, limit) =>
        commentsPage(db, task, 'oldest first', after, limit);
      const write = (row: StoredComment): string => JSON.stringify(serializeComment(row));
      const list = { scope: current, name: ['comments', task.taskId], read, write };
      return pagedList(list, page, address, this.config);
    });
  }

  /** Reads the comments with ids below `before`, newest first. If `before` is '0', reads the latest ones. */
  async latest(scope: Scope, name: TaskName, before: string, limit: number): Promise<LatestComments> {
    return this.work.read(scope, async (db, current) => {
      const task = await findTaskKey(db, current, name);
      const { rows, next } = await commentsPage(db, task, 'newest first', before, limit);
      const mentions = Object.fromEntries(rows.flatMap((row) => Object.entries(row.mentions ?? {})));
      return { comments: rows.map(serializeComment), mentions, next };
    });
  }

  async add(
    scope: Scope,
    name: TaskName,
    payload: JsonObject,
    idempotencyKey: string | undefined,
  ): Promise<Comment> {
    const asked = { route: 'comments', path: [textOfName(name)], body: payload };
    const request = idempotentRequest(scope, idempotencyKey, asked);
    return this.work.transaction(scope, (tx, current) =>
      once(tx, request, async () => {
        const task = await lockTaskToEdit(tx, current, name);
        const said = parseComment(current, payload, task);
        const { authorId, body } = said;
        const createdAt = await writeComment(tx, task, said);
        const author =
          authorId === null ? null : (current.workflow.schema.users.get(authorId)?.email ?? null);
        const comment = serializeComment({ author, body, createdAt });
        const missed = addressesOfNobody(body, said.mentions);
        return missed.length === 0 ? comment : { ...comment, not_mentioned: missed };
      }),
    );
  }
}

/** A page of comments, newest first. If there are older ones, `next` is the id of the page's oldest one. */
export interface LatestComments {
  readonly comments: readonly Comment[];
  readonly mentions: Mentions;
  readonly next: string | undefined;
}
