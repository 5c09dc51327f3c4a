import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Budget } from '../budget.js';
import { CONFIG, type Config } from '../config.js';
import { notFound, preconditionFailed } from '../errors/errors.js';
import { invalidField } from '../errors/field-errors.js';
import { fingerprint } from '../idempotency/fingerprint.js';
import { once } from '../idempotency/once.js';
import { deleteTask } from '../records/delete-task.js';
import { findTask } from '../records/find-task.js';
import { type Precondition } from '../records/precondition.js';
import { serializeTask } from '../schema/serialize-task.js';
import { type TaskView } from '../schema/task-view.js';
import { type Workflow } from '../workflows/workspace.js';
import { Workspaces } from '../workflows/workspaces.js';
import { entityTag } from './entity-tag.js';
import { type TaskAnswer } from './send.js';
import { type Write, writeTask } from './write-task.js';

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
      return this.writers.use(() => writeOnce(this.dataSource.manager, current, write));
    });
  }

  async read(workflow: Workflow, uniqueId: string): Promise<TaskAnswer> {
    return this.workspaces.withCurrent(workflow, async (current) => {
      requireUniqueId(current);
      const task = await findTask(this.dataSource.manager, current, uniqueId);
      if (!task) throw notFound();
      return answer(current, task, false);
    });
  }

  async delete(workflow: Workflow, uniqueId: string, precondition: Precondition): Promise<void> {
    await this.workspaces.withCurrent(workflow, async (current) => {
      requireUniqueId(current);
      const { manager } = this.dataSource;
      if (await this.writers.use(() => deleteTask(manager, current, uniqueId, precondition))) return;
      throw precondition.mustExist ? preconditionFailed() : notFound();
    });
  }
}

async function writeOnce(db: EntityManager, workflow: Workflow, write: Write): Promise<TaskAnswer> {
  const { idempotencyKey: key, payload } = write;
  if (key === undefined) return writeAndAnswer(db, workflow, write);
  const { workspaceId, slug } = workflow;
  const request = { workspaceId, key, fingerprint: fingerprint(['tasks', slug], payload) };
  return once(db, request, (tx) => writeAndAnswer(tx, workflow, write));
}

async function writeAndAnswer(db: EntityManager, workflow: Workflow, write: Write): Promise<TaskAnswer> {
  const { task, isCreated } = await writeTask(db, workflow, write);
  return answer(workflow, task, isCreated);
}

function requireUniqueId({ schema }: Workflow): void {
  if (!schema.uniqueId) throw invalidField('base', 'This workflow has no Unique ID field');
}

function answer(workflow: Workflow, task: TaskView, isCreated: boolean): TaskAnswer {
  return { json: serializeTask(workflow.schema, task), tag: entityTag(workflow, task), isCreated };
}
