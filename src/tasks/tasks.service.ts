import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type UploadedFile } from '../attachments/blobs.js';
import { Budget } from '../budget.js';
import { CONFIG, type Config } from '../config.js';
import { notFound } from '../errors/errors.js';
import { invalidField } from '../errors/field-errors.js';
import { fingerprint } from '../idempotency/fingerprint.js';
import { once } from '../idempotency/once.js';
import { findTask } from '../records/find-task.js';
import { type Precondition } from '../records/precondition.js';
import { linkedState } from '../records/linked-tasks.js';
import { type TaskRow } from '../records/task-row.js';
import { parseTask } from '../schema/parse-task.js';
import { type Workflow } from '../workflows/workspace.js';
import { Workspaces } from '../workflows/workspaces.js';
import { deleteTask } from './delete-task.js';
import { entityTag } from './entity-tag.js';
import { type TaskAnswer } from './send.js';
import { isLong, textOf } from './task-text.js';
import { type ReadyWrite, type Write, writeTask } from './write-task.js';

@Injectable()
export class TasksService {
  /** Writes may wait for an apply; some connections stay free of them, so that reads go on. */
  private readonly writers: Budget;

  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) { poolSize }: Config,
  ) {
    this.writers = new Budget(Math.ceil(poolSize * 0.75), 'Too many writes are waiting.');
  }

  /** Creates or changes a task, as the write asks. */
  async write(workflow: Workflow, write: Write): Promise<TaskAnswer> {
    return this.workspaces.withCurrent(workflow, async (current) => {
      const parsed = parseTask(current.schema, write.payload);
      const ready = { ...write, parsed, uploaded: new Map<string, UploadedFile>() };
      return this.writers.use(() => writeOnce(this.dataSource.manager, current, ready));
    });
  }

  async read(workflow: Workflow, uniqueId: string): Promise<TaskAnswer> {
    return this.workspaces.withCurrent(workflow, async (current) => {
      requireUniqueId(current);
      const task = await findTask(this.dataSource.manager, current, uniqueId);
      if (!task) throw notFound();
      return answer(this.dataSource.manager, current, task, false);
    });
  }

  async delete(workflow: Workflow, uniqueId: string, precondition: Precondition): Promise<void> {
    await this.workspaces.withCurrent(workflow, async (current) => {
      requireUniqueId(current);
      const { manager } = this.dataSource;
      await this.writers.use(() => deleteTask(manager, current, uniqueId, precondition));
    });
  }
}

async function writeOnce(db: EntityManager, workflow: Workflow, write: ReadyWrite): Promise<TaskAnswer> {
  const { idempotencyKey: key, payload } = write;
  if (key === undefined) return writeAndAnswer(db, workflow, write);
  const { workspaceId, slug } = workflow;
  const request = { workspaceId, key, fingerprint: fingerprint(['tasks', slug], payload) };
  return once(db, request, async (tx) => whole(await writeAndAnswer(tx, workflow, write)));
}

async function writeAndAnswer(db: EntityManager, workflow: Workflow, write: ReadyWrite): Promise<TaskAnswer> {
  const { task, isCreated } = await writeTask(db, workflow, write);
  return answer(db, workflow, task, isCreated);
}

function requireUniqueId({ schema }: Workflow): void {
  if (!schema.uniqueId) throw invalidField('base', 'This workflow has no Unique ID field');
}

async function answer(
  db: EntityManager,
  workflow: Workflow,
  task: TaskRow,
  isCreated: boolean,
): Promise<TaskAnswer> {
  const state = isLong(task) ? await linkedState(db, workflow, task.id) : undefined;
  const json = textOf(db, workflow, workflow.schema, task);
  return { json, tag: entityTag(workflow, task, state), isCreated };
}

/** An answer that can be kept. */
async function whole(answer: TaskAnswer): Promise<TaskAnswer> {
  const pieces: string[] = [];
  if (typeof answer.json === 'string') return answer;
  for await (const piece of answer.json) pieces.push(piece);
  return { ...answer, json: pieces.join('') };
}
