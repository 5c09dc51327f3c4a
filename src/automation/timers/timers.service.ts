import { Injectable } from '@nestjs/common';
import { TimerEntity } from '../../actions/timers/timer.entity.js';
import { findTaskKey } from '../../tasks/store/task-keys.js';
import { lockTaskToEdit } from '../../tasks/store/task.repository.js';
import { notFound } from '../../common/errors.js';
import { type Scope } from '../../workflows/model/scope.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { type ShownTimer } from './timer.dto.js';

@Injectable()
export class TimersService {
  constructor(private readonly work: UnitOfWork) {}

  /** Lists the timers of a task, the earliest first. A timer that has fired no longer exists. */
  async list(scope: Scope, uniqueId: string): Promise<ShownTimer[]> {
    return this.work.read(scope, async (db, current) => {
      const where = await findTaskKey(db, current, uniqueId);
      const timers = await db.find(TimerEntity, { where, order: { at: 'ASC', id: 'ASC' } });
      return timers.map(({ id, actionId, at }) => ({ id, action_id: actionId, at: at.toISOString() }));
    });
  }

  async remove(scope: Scope, uniqueId: string, id: string): Promise<void> {
    await this.work.transaction(scope, async (tx, current) => {
      const { workspaceId, workflowId, taskId } = await lockTaskToEdit(tx, current, uniqueId);
      const { affected } = await tx.delete(TimerEntity, { workspaceId, workflowId, taskId, id });
      if (affected !== 1) throw notFound('The task has no timer with this id; a fired timer is removed.');
    });
  }
}
