import { In } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { plural } from '../../common/wording.js';
import { changedActions, ofAction, renamedActions } from '../../actions/changed-actions.js';
import { type Effect, effectOf } from '../../workflows/model/effect.js';
import { type Impact } from '../../workflows/model/impact.js';
import { leavingUsers, leftBehind } from '../../tasks/migrate-data/leaving-users.js';
import { TimerEntity } from '../../actions/timers/timer.entity.js';

export const timersImpact: Impact = {
  async effects(db, changed) {
    const { workspace, workflows } = changed.rows;
    const place = { workspaceId: workspace.id, workflowId: In(workflows.map(({ id }) => id)) };
    const effects: Effect[] = [];
    for (const user of leavingUsers(changed)) {
      const count = await db.countBy(TimerEntity, { ...place, performerId: user.id });
      const said = ['acts as them and starts nothing', 'act as them and start nothing'] as const;
      effects.push(...leftBehind(user, count, 'timer', said));
    }
    for (const { its, name, stays } of changedActions(changed)) {
      const count = await db.countBy(TimerEntity, its);
      const end = stays
        ? 'will start it as it is then'
        : `will start nothing: write was: ${its.actionId} in the action that takes its place`;
      const message = `${plural(count, 'timer')} of it ${end}`;
      effects.push(...effectOf(stays ? 'notes' : 'loses', 'action', name, count, message));
    }
    return effects;
  },
  async move(tx, applied) {
    for (const renamed of renamedActions(applied)) await sql(tx, rename, renamed);
  },
};

const rename = { text: `UPDATE timers SET action_id = $3 WHERE ${ofAction('$4')}` };
