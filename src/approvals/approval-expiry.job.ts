import { sql } from '../common/database/sql.js';
import { type Sweep } from '../common/ops/job-kind.js';

/** An approval stops counting when it expires, even before this runs. */
export const approvalSweep: Sweep = {
  name: 'approval-sweep',
  next: `(SELECT min(expires_at) FROM approvals WHERE state = 'live' AND NOT is_past)`,
  async sweep({ db }) {
    for (let ended = 1; ended > 0;) {
      const [row] = await sql<{ ended: number }>(db, expire, [MOST]);
      ended = row?.ended ?? 0;
    }
  },
};

const MOST = 500;

const expire = {
  name: 'expire-approvals',
  scope: 'all workspaces' as const,
  text: `
    WITH due AS MATERIALIZED (
      SELECT a.workspace_id, a.id FROM approvals a
      WHERE a.state = 'live' AND a.expires_at <= (SELECT service_now()) AND NOT a.is_past
      ORDER BY a.expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
    ), ended AS (
      UPDATE approvals a SET state = 'expired', marked_at = a.expires_at FROM due d
      WHERE a.workspace_id = d.workspace_id AND a.id = d.id AND a.state = 'live'
      RETURNING a.*
    ), told AS (
      INSERT INTO events (workspace_id, type, workflow_id, task_id, public_id, unique_value, version, about)
      SELECT t.workspace_id, 'approval.stale', t.workflow_id, t.id, t.public_id, t.unique_value, t.version_offset + t.version,
        e.about
      FROM (
        SELECT DISTINCT ON (e.workspace_id, e.task_id, e.action_id, e.group_id) e.workspace_id, e.workflow_id, e.task_id,
          jsonb_build_object('action', e.action_id, 'group', e.group_id, 'decision', e.decision, 'by', e.by_id,
            'for', e.for_id, 'comment', e.comment) AS about
        FROM ended e ORDER BY e.workspace_id, e.task_id, e.action_id, e.group_id, e.id
      ) e
      JOIN tasks t ON t.workspace_id = e.workspace_id AND t.workflow_id = e.workflow_id AND t.id = e.task_id
    )
    SELECT count(*)::integer AS ended FROM ended`,
};
