import { Injectable } from '@nestjs/common';
import { noTaskToMatch, requireMet } from '../http/etag.js';
import { type TaskAnswer } from '../http/replies.js';
import { type LinkChange, referenceTo } from '../links/find-links.js';
import { withBareTaskLocked } from '../links/lock-links.js';
import { replaceLinks } from '../links/replace-links.js';
import {
  deleteLockedTask,
  deleteUnlinkedTask,
  findNamedTask,
  findTask,
} from '../task-store/task.repository.js';
import { type Precondition, type TaskRow } from '../task-store/task-row.js';
import { notFound } from '../lib/errors.js';
import { invalidField } from '../lib/field-errors.js';
import { keptIn } from '../schema/locks.js';
import { requireDeletes } from '../workspace/allowed.js';
import { UnitOfWork } from '../workspace/unit-of-work.js';
import { noTask } from '../workspace/not-found.js';
import { type TaskName } from '../workspace/task-name.js';
import { requireUniqueId } from '../workspace/workspace.js';
import { answerOf } from './write-task.js';
import { type Scope } from '../workspace/scope.js';

/** Reads and deletes tasks. */
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

  /** The task that a Task URL names, with the tasks linked to it; 404 where none is seen. */
  find(scope: Scope, publicId: string): Promise<TaskRow> {
    return this.work.read(scope, async (db, current) => {
      const task = await findNamedTask(db, current, { publicId });
      if (!task) throw notFound();
      return task;
    });
  }

  /** Deletes a task for good, with its links and attachments: by one statement where it has no links. */
  async delete(scope: Scope, name: TaskName, precondition: Precondition): Promise<void> {
    await this.work.write(scope, async (db, current) => {
      requireUniqueId(current.workflow, name);
      const isPlain = precondition.excluded === undefined && !current.bound;
      if (isPlain && typeof name === 'string' && (await deleteUnlinkedTask(db, current, name, precondition)))
        return;
      const unlinked = [...current.workflow.schema.links.values()].map((link): LinkChange => ({
        link,
        as: 'ended',
        locks: current.workflow.schema.locks,
        references: [],
      }));
      const reference = await referenceTo(db, current, name);
      await withBareTaskLocked(db, current, reference, unlinked, async (tx, { task, plan, errors }) => {
        if (!task)
          throw precondition.mustExist ? noTaskToMatch(precondition) : noTask(current.workflow, name);
        requireDeletes(current, task);
        const lock = current.workflow.schema.locks.own.get(task.stageId);
        if (lock) throw invalidField('base', keptIn(lock));
        errors.throwIfAny();
        await requireMet(tx, current, task, precondition);
        await replaceLinks(tx, current.workflow, task.id, plan);
        await deleteLockedTask(tx, current.workflow, task.id);
      });
    });
  }
}
