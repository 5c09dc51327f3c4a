import { type EntityManager, In } from 'typeorm';
import { TaskEntity } from '../../../tasks/store/task.entity.js';
import { TimerEntity } from '../../../actions/timers/timer.entity.js';
import { type ChangedDefinition } from '../../model/changed-definition.js';
import { type Effect } from '../../model/effect.js';
import { leavingUsers, leftBehind } from '../../model/leaving-users.js';

/** Counts the open tasks and timers of users who will no longer be active. */
export async function impactOfUsers(db: EntityManager, changed: ChangedDefinition): Promise<Effect[]> {
  const { id: workspaceId } = changed.rows.workspace;
  const place = { workspaceId, workflowId: In(changed.rows.workflows.map(({ id }) => id)) };
  const effects: Effect[] = [];
  for (const user of leavingUsers(changed)) {
    const tasks = await db.countBy(TaskEntity, { ...place, assigneeId: user.id, isActive: true });
    const timers = await db.countBy(TimerEntity, { ...place, performerId: user.id });
    effects.push(
      ...leftBehind(user, tasks, 'open task', ['stays assigned to them', 'stay assigned to them']),
      ...leftBehind(user, timers, 'timer', [
        'acts as them and starts nothing',
        'act as them and start nothing',
      ]),
    );
  }
  return effects;
}
