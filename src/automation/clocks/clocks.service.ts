import { Injectable } from '@nestjs/common';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { findTaskKey } from '../../tasks/store/task-keys.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type TaskName } from '../../workflows/model/task-name.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { type ShownClock, showClock } from './clock.dto.js';
import { readClocks } from './clocks.repository.js';
import { clocksIn } from './compiled-clocks.js';

@Injectable()
export class ClocksService {
  constructor(private readonly work: UnitOfWork) {}

  /** Lists the clocks of a task that have begun, in the order of the definition. */
  async list(scope: Scope, name: TaskName): Promise<ShownClock[]> {
    return this.work.read(scope, async (db, current) => {
      const key = await findTaskKey(db, current, name);
      const stored = (await readClocks(db, [key])).get(key.taskId);
      const now = serviceTime(db).getTime();
      return clocksIn(current.workflow).flatMap(({ clock }) => {
        const row = stored?.get(clock.id)?.row;
        // A clock that gives this task no budget has no deadline, so it is not listed.
        const isNone = row?.budget === null && clock.runs !== 'until_field';
        return row && !isNone ? [showClock(clock, row, now)] : [];
      });
    });
  }
}
