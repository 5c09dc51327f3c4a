import { sql } from '../common/database/sql.js';
import { plural } from '../common/wording.js';
import { ofAction, renamedActions } from '../actions/changed-actions.js';
import { type Effect, effectOf } from '../workflows/model/effect.js';
import { type Impact } from '../workflows/model/impact.js';
import { ExecutionEntity } from './execution.entity.js';

/** Renames the actions of pending executions, and deletes the executions of removed workflows. */
export const executionsImpact: Impact = {
  async effects(db, changed) {
    const effects: Effect[] = [];
    for (const { workspaceId, id, slug } of changed.matches.gone.workflows) {
      const count = await db.countBy(ExecutionEntity, { workspaceId, workflowId: id });
      effects.push(...effectOf('loses', 'workflow', slug, count, `it has ${plural(count, 'execution')}`));
    }
    return effects;
  },
  async move(tx, applied) {
    for (const renamed of renamedActions(applied)) await sql(tx, rename, renamed);
    for (const { workspaceId, id } of applied.matches.gone.workflows)
      await tx.delete(ExecutionEntity, { workspaceId, workflowId: id });
  },
};

const rename = {
  text: `UPDATE executions SET action_id = $3 WHERE ${ofAction('$4')} AND status = 'Pending'`,
};
