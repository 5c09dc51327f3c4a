import { Injectable } from '@nestjs/common';
import { noTaskToMatch } from './entity-tag.js';
import { type TaskAnswer } from '../common/http/replies.js';
import { findNamedTask, findTask } from './store/task.repository.js';
import { type Precondition, type TaskRow } from './store/task-row.js';
import { notFound } from '../common/errors.js';
import { isStorable } from '../common/text.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { noTask } from '../workflows/model/not-found.js';
import { type TaskName } from '../workflows/model/task-name.js';
import { requireUniqueId } from '../workflows/model/workspace.js';
import { deleteNamedTask } from './delete-tasks.js';
import { answerOf } from './answer-task.js';
import { type Scope } from '../workflows/model/scope.js';

/** Reads and deletes tasks; write-task.ts writes them. */
@Injectable()
export class TasksService {
  constructor(private readonly work: UnitOfWork) {}

  read(scope: Scope, uniqueId: string): Promise<TaskAnswer> {
    return this.work.read(scope, async (db, current) => {
      requireUniqueId(current.workflow);
      const task = await findTask(db, current, uniqueId);
      if (!task) throw noTask(current.workflow, uniqueId);
      return answerOf(db, current, { task, isCreated: false });
    });
  }

  /** Finds the task of a Task URL, with its linked tasks. Throws 404 if the viewer sees no such task. */
  async find(scope: Scope, publicId: string): Promise<TaskRow> {
    const task = isStorable(publicId) && (await this.findNamed(scope, { publicId }));
    if (!task) throw notFound();
    return task;
  }

  /** Finds the named task; returns undefined if the viewer sees no such task. */
  findNamed(scope: Scope, name: TaskName): Promise<TaskRow | undefined> {
    return this.work.read(scope, (db, current) => findNamedTask(db, current, name));
  }

  /** Deletes a task permanently, with its links and attachments. */
  async delete(scope: Scope, name: TaskName, precondition: Precondition): Promise<void> {
    await this.work.write(scope, async (db, current) => {
      requireUniqueId(current.workflow, name);
      if (await deleteNamedTask(db, current, name, precondition)) return;
      throw precondition.mustExist ? noTaskToMatch() : noTask(current.workflow, name);
    });
  }
}
