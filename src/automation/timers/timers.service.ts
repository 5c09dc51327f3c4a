import { Injectable } from '@nestjs/common';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { idempotentRequest, once } from '../../common/http/idempotency.js';
import { invalidField } from '../../common/field-errors.js';
import { say } from '../../common/message.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { findTaskKey, lockTaskToEdit } from '../../tasks/store/task-keys.js';
import { noTimer } from '../../workflows/model/not-found.js';
import { type Scope } from '../../workflows/model/scope.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { parseTimer, showTimer, type ShownTimer } from './timer.dto.js';
import {
  addTimer,
  MAX_TIMERS,
  removeTimer,
  replaceTimer,
  timersOf,
} from '../../actions/timers/timers.repository.js';

@Injectable()
export class TimersService {
  constructor(private readonly work: UnitOfWork) {}

  /** The timers that have not fired, the next one first. */
  async list(scope: Scope, uniqueId: string): Promise<ShownTimer[]> {
    return this.work.read(scope, async (db, current) => {
      const timers = await timersOf(db, await findTaskKey(db, current, uniqueId));
      return timers.map(showTimer);
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

  /** Changes the action and the time of a timer, unless it has fired. */
  async replace(scope: Scope, uniqueId: string, id: string, payload: JsonObject): Promise<ShownTimer> {
    return this.work.transaction(scope, async (tx, current) => {
      const task = await lockTaskToEdit(tx, current, uniqueId);
      const wanted = await parseTimer(current, payload, serviceTime(tx));
      const replaced = await replaceTimer(tx, task, id, wanted);
      if (!replaced) throw noTimer();
      return showTimer(replaced);
    });
  }

  async remove(scope: Scope, uniqueId: string, id: string): Promise<void> {
    await this.work.transaction(scope, async (tx, current) => {
      const task = await lockTaskToEdit(tx, current, uniqueId);
      if (!(await removeTimer(tx, task, id))) throw noTimer();
    });
  }
}
