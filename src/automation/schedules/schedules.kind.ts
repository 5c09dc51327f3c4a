import { type EntityManager } from 'typeorm';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import { type Effect } from '../../workflows/model/effect.js';
import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { checkQuery } from './check-query.js';
import { checkSchedule } from './check-schedule.js';
import { namingLeaving } from '../../workflows/model/leaving-users.js';
import { setSchedules } from './schedule-states.repository.js';
import { wantedSchedules } from './wanted-schedules.js';
import { schedule } from './schedule-definition.js';

export const schedules = kind({
  name: 'schedule',
  list: 'schedules',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(schedule, {
    title: 'Schedules',
    description: 'Schedules create tasks or start actions at set times.',
    maxItems: 100,
  }),
  check: checkSchedule,
  checkSound: checkQuery,
  effects: effectsOfLeaving,
  async settle(tx, stored): Promise<void> {
    await setSchedules(tx, stored.workspaceId, wantedSchedules(stored, schedules.in));
  },
});

function effectsOfLeaving(_db: EntityManager, changed: ChangedDefinition): Effect[] {
  const said = ['gives them tasks and fails', 'give them tasks and fail'] as const;
  return namingLeaving(changed, 'schedule', said, schedules.in, ({ create = {} }) => Object.values(create));
}
