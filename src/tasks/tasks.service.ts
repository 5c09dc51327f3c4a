import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type UploadedFile } from '../attachments/blobs.repository.js';
import { Uploads } from '../attachments/uploads.js';
import { currentTag } from '../http/current-tag.js';
import { notFound } from '../lib/errors.js';
import { idempotentRequest, type IdempotentRequest, isAnswered, once } from '../http/idempotency.js';
import { findTask } from '../task-store/task.repository.js';
import { type Precondition, type TaskRow } from '../task-store/task-row.js';
import { newFilesOf } from '../schema/file-changes.js';
import { parseTask } from '../schema/parse-task.js';
import { type Workflow, requireUniqueId } from '../workspace/workspace.js';
import { type Unit, UnitOfWork } from '../workspace/unit-of-work.js';
import { deleteTask, judgeBeforehand, type ReadyWrite, type Write, writeTask } from './write-task.js';
import { type TaskAnswer } from '../http/replies.js';
import { textOf } from './list/task-text.js';

@Injectable()
export class TasksService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly uploads: Uploads,
  ) {}

  /** Creates or changes a task, as the write asks; what it brings for the store is there before, or nowhere after. */
  async write(workflow: Workflow, write: Write): Promise<TaskAnswer> {
    const uploaded = new Map<string, UploadedFile>();
    try {
      const asked = { route: 'tasks', body: write.payload };
      const request = await idempotentRequest(workflow, write.idempotencyKey, asked);
      const answer = await this.work.begin(workflow, async (unit) => {
        const ready = { ...write, parsed: parseTask(unit.workflow.schema, write.payload), uploaded };
        await this.upload(unit, ready, request, uploaded);
        return writeOnce(unit, ready, request);
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
    { workflow, db }: Unit,
    write: ReadyWrite,
    request: IdempotentRequest | undefined,
    uploaded: Map<string, UploadedFile>,
  ): Promise<void> {
    const { change } = write.parsed;
    if (newFilesOf(change).length === 0) return;
    this.uploads.requireSizes(change);
    if (request && (await isAnswered(db, request))) return;
    await judgeBeforehand(db, workflow, write);
    await this.uploads.storeNew(workflow, change, uploaded);
  }

  async read(workflow: Workflow, uniqueId: string): Promise<TaskAnswer> {
    return this.work.read(workflow, async (db, current) => {
      requireUniqueId(current);
      const task = await findTask(db, current, uniqueId);
      if (!task) throw notFound();
      return answer(db, current, task, false);
    });
  }

  async delete(workflow: Workflow, uniqueId: string, precondition: Precondition): Promise<void> {
    await this.work.write(workflow, async (db, current) => {
      requireUniqueId(current);
      await deleteTask(db, current, uniqueId, precondition);
    });
  }
}

async function writeOnce(
  unit: Unit,
  write: ReadyWrite,
  request: IdempotentRequest | undefined,
): Promise<TaskAnswer> {
  const { workflow } = unit;
  if (!request) return unit.write((db) => writeAndAnswer(db, workflow, write));
  return unit.transaction((tx) =>
    once(tx, request, async () => whole(await writeAndAnswer(tx, workflow, write))),
  );
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
