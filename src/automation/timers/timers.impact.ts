import { sql } from '../../common/database/sql.js';
import { plural } from '../../common/wording.js';
import { goneActions, ofAction, renamedActions } from '../../actions/changed-actions.js';
import { type Effect, effectOf } from '../../workflows/model/effect.js';
import { type Impact } from '../../workflows/model/impact.js';
import { TimerEntity } from '../../actions/timers/timer.entity.js';

export const timersImpact: Impact = {
  async effects(db, changed) {
    const effects: Effect[] = [];
    for (const { its, name } of goneActions(changed)) {
      const count = await db.countBy(TimerEntity, its);
      const message = `${plural(count, 'timer')} will start nothing: write was: ${its.actionId} in the action that replaces it`;
      effects.push(...effectOf('loses', 'action', name, count, message));
    }
    return effects;
  },
  async move(tx, applied) {
    for (const renamed of renamedActions(applied)) await sql(tx, rename, renamed);
  },
};

const rename = { text: `UPDATE timers SET action_id = $3 WHERE ${ofAction('$4')}` };
