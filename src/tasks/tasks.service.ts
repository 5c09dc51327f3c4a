import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type UploadedFile } from '../attachments/blobs.repository.js';
import { Uploads } from '../attachments/uploads.js';
import { currentTag } from '../http/current-tag.js';
import { type FairSemaphore } from '../lib/semaphore.js';
import { notFound } from '../lib/errors.js';
import { idempotentRequest, type IdempotentRequest, isAnswered, once } from '../http/idempotency.js';
import { findTask } from '../task-store/task.repository.js';
import { type Precondition, type TaskRow } from '../task-store/task-row.js';
import { newFilesOf } from '../schema/file-changes.js';
import { parseTask } from '../schema/parse-task.js';
import { type Workflow, requireUniqueId } from '../workspace/workspace.js';
import { Workspaces } from '../workspace/workspaces.js';
import { WRITERS } from '../workspace/workspace.module.js';
import { deleteTask, judgeBeforehand, type ReadyWrite, type Write, writeTask } from './write-task.js';
import { type TaskAnswer } from '../http/reply.js';
import { textOf } from './list/task-text.js';

@Injectable()
export class TasksService {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly uploads: Uploads,
    @Inject(WRITERS) private readonly writers: FairSemaphore,
  ) {}

  /** Creates or changes a task, as the write asks; what it brings for the store is there before, or nowhere after. */
  async write(workflow: Workflow, write: Write): Promise<TaskAnswer> {
    const uploaded = new Map<string, UploadedFile>();
    try {
      const answer = await this.workspaces.withCurrent(workflow, async (current) => {
        const ready = { ...write, parsed: parseTask(current.schema, write.payload), uploaded };
        const request = await idempotentRequest(current, write.idempotencyKey, {
          route: 'tasks',
          body: write.payload,
        });
        await this.upload(current, ready, request, uploaded);
        return this.writers.use(current, () =>
          writeOnce(this.workspaces.db(current), current, ready, request),
        );
      });
      // A repetition that came together with the first request has stored in vain.
      if (write.idempotencyKey !== undefined) await this.drop(workflow, uploaded);
      return answer;
    } catch (error) {
      await this.drop(workflow, uploaded);
      throw error;
    }
  }

  /** Removes what was stored, but for what the task has come to name. */
  private async drop({ workspaceId }: Workflow, uploaded: ReadonlyMap<string, UploadedFile>): Promise<void> {
    const files = [...uploaded.values()];
    await this.uploads.drop(
      workspaceId,
      files.map(({ file }) => file.blobId),
    );
  }

  /** Stores the attachments that the payload brings, unless it is clear already that they come in vain. */
  private async upload(
    workflow: Workflow,
    write: ReadyWrite,
    request: IdempotentRequest | undefined,
    uploaded: Map<string, UploadedFile>,
  ): Promise<void> {
    const manager = this.workspaces.db(workflow);
    const { change } = write.parsed;
    if (newFilesOf(change).length === 0) return;
    this.uploads.requireSizes(change);
    if (request && (await isAnswered(manager, request))) return;
    await judgeBeforehand(manager, workflow, write);
    await this.uploads.storeNew(workflow, change, uploaded);
  }

  async read(workflow: Workflow, uniqueId: string): Promise<TaskAnswer> {
    return this.workspaces.withCurrent(workflow, async (current) => {
      requireUniqueId(current);
      const manager = this.workspaces.db(current);
      const task = await findTask(manager, current, uniqueId);
      if (!task) throw notFound();
      return answer(manager, current, task, false);
    });
  }

  async delete(workflow: Workflow, uniqueId: string, precondition: Precondition): Promise<void> {
    await this.workspaces.withCurrent(workflow, async (current) => {
      requireUniqueId(current);
      const manager = this.workspaces.db(current);
      await this.writers.use(current, () => deleteTask(manager, current, uniqueId, precondition));
    });
  }
}

async function writeOnce(
  db: EntityManager,
  workflow: Workflow,
  write: ReadyWrite,
  request: IdempotentRequest | undefined,
): Promise<TaskAnswer> {
  if (!request) return writeAndAnswer(db, workflow, write);
  return once(db, request, async (tx) => whole(await writeAndAnswer(tx, workflow, write)));
}

async function writeAndAnswer(db: EntityManager, workflow: Workflow, write: ReadyWrite): Promise<TaskAnswer> {
  const { task, isCreated } = await writeTask(db, workflow, write);
  return answer(db, workflow, task, isCreated);
}

async function answer(
  db: EntityManager,
  workflow: Workflow,
  task: TaskRow,
  isCreated: boolean,
): Promise<TaskAnswer> {
  const tag = await currentTag(db, workflow, task);
  return { json: textOf(db, workflow, workflow.schema, task), tag, isCreated };
}

/** An answer that can be kept. */
async function whole(answer: TaskAnswer): Promise<TaskAnswer> {
  const pieces: string[] = [];
  if (typeof answer.json === 'string') return answer;
  for await (const piece of answer.json) pieces.push(piece);
  return { ...answer, json: pieces.join('') };
}
