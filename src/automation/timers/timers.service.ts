import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere } from 'typeorm';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { idempotentRequest, once } from '../../common/http/idempotency.js';
import { invalidField } from '../../common/field-errors.js';
import { say } from '../../common/message.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { addTimer, MAX_TIMERS } from '../../actions/timers/timers.repository.js';
import { TimerEntity } from '../../actions/timers/timer.entity.js';
import { findTaskKey, type TaskKey } from '../../tasks/store/task-keys.js';
import { lockTaskToEdit } from '../../tasks/store/task.repository.js';
import { noTimer } from '../../workflows/model/not-found.js';
import { type Scope } from '../../workflows/model/scope.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { parseTimer, showTimer, type ShownTimer } from './timer.dto.js';

@Injectable()
export class TimersService {
  constructor(private readonly work: UnitOfWork) {}

  /** The timers that have not fired, the next one first. */
  async list(scope: Scope, uniqueId: string): Promise<ShownTimer[]> {
    return this.work.read(scope, async (db, current) => {
      const where = await findTaskKey(db, current, uniqueId);
      return (await db.find(TimerEntity, { where, order: { at: 'ASC', id: 'ASC' } })).map(showTimer);
    });
  }

  async add(
    scope: Scope,
    uniqueId: string,
    payload: JsonObject,
    key: string | undefined,
  ): Promise<ShownTimer> {
    const request = idempotentRequest(scope, key, { route: 'timers', path: [uniqueId], body: payload });
    return this.work.transaction(scope, (tx, current) =>
      once(tx, request, async () => {
        const task = await lockTaskToEdit(tx, current, uniqueId);
        const added = await addTimer(tx, task, await parseTimer(current, payload, serviceTime(tx)));
        if (!added) throw invalidField('base', say`The task has ${MAX_TIMERS} timers already`);
        return showTimer(added);
      }),
    );
  }

  /** Changes a timer that has not fired, even one that a worker is about to fire. */
  async replace(scope: Scope, uniqueId: string, id: string, payload: JsonObject): Promise<ShownTimer> {
    return this.work.transaction(scope, async (tx, current) => {
      const timer = timerOf(await lockTaskToEdit(tx, current, uniqueId), id);
      const { actionId, at, performerId, given } = await parseTimer(current, payload, serviceTime(tx));
      const unclaimed = { fence: () => 'fence + 1', leaseUntil: null };
      const { affected } = await tx.update(TimerEntity, timer, {
        actionId,
        at,
        performerId,
        given,
        ...unclaimed,
      });
      if (affected !== 1) throw noTimer();
      return showTimer({ id, actionId, at });
    });
  }

  async remove(scope: Scope, uniqueId: string, id: string): Promise<void> {
    await this.work.transaction(scope, async (tx, current) => {
      const timer = timerOf(await lockTaskToEdit(tx, current, uniqueId), id);
      if ((await tx.delete(TimerEntity, timer)).affected !== 1) throw noTimer();
    });
  }
}

const timerOf = (
  { workspaceId, workflowId, taskId }: TaskKey,
  id: string,
): FindOptionsWhere<TimerEntity> => ({
  workspaceId,
  workflowId,
  taskId,
  id,
});
