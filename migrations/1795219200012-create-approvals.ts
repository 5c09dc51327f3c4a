import { createFunctions } from '../src/common/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Approvals and rejections of actions, and who has edited which part of a task. */
export class CreateApprovals1795219200012 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE approvals (
        workspace_id integer NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY,
        workflow_id integer NOT NULL,
        task_id bigint NOT NULL,
        action_id text COLLATE "C" NOT NULL,
        group_id text COLLATE "C" NOT NULL,
        by_id text COLLATE "C" NOT NULL,
        for_id text COLLATE "C",
        decision text NOT NULL CHECK (decision IN ('approve', 'reject')),
        comment text,
        via text,
        covers text[] COLLATE "C" NOT NULL,
        decided_at timestamptz(3) NOT NULL DEFAULT service_now(),
        state text NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'stale', 'withdrawn', 'replaced', 'used')),
        because jsonb,
        marked_at timestamptz(3),
        -- What this decision has reported in events. Emptied if the stage or a covered part changes.
        tells text[] NOT NULL DEFAULT '{}',
        is_past boolean NOT NULL DEFAULT false,
        PRIMARY KEY (workspace_id, id),
        FOREIGN KEY (workspace_id, by_id) REFERENCES users (workspace_id, id),
        FOREIGN KEY (workspace_id, for_id) REFERENCES users (workspace_id, id),
        FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks (workspace_id, workflow_id, id) ON DELETE CASCADE
      );
      CREATE UNIQUE INDEX approvals_by
        ON approvals (workspace_id, workflow_id, task_id, action_id, group_id, by_id) WHERE state = 'live';
      CREATE UNIQUE INDEX approvals_for
        ON approvals (workspace_id, workflow_id, task_id, action_id, group_id, COALESCE(for_id, by_id)) WHERE state = 'live';
      CREATE INDEX approvals_of_task ON approvals (workspace_id, workflow_id, task_id);

      CREATE TABLE approval_rounds (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        task_id bigint NOT NULL,
        action_id text COLLATE "C" NOT NULL,
        succeeded_at timestamptz NOT NULL DEFAULT service_now(),
        PRIMARY KEY (workspace_id, workflow_id, task_id, action_id),
        FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks (workspace_id, workflow_id, id) ON DELETE CASCADE
      );

      CREATE TABLE task_editors (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        task_id bigint NOT NULL,
        part text COLLATE "C" NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        edited_at timestamptz NOT NULL DEFAULT service_now(),
        PRIMARY KEY (workspace_id, workflow_id, task_id, part, user_id),
        FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks (workspace_id, workflow_id, id) ON DELETE CASCADE
      );
    `);
    await createFunctions(db, 'approvals');
    await db.query(`
      CREATE TRIGGER mark_approvals AFTER INSERT OR UPDATE OF type, links, values_to, stage_to ON events
        FOR EACH ROW WHEN ((NEW.type IN ('task.created', 'task.updated')) AND (NEW.task_id IS NOT NULL))
        EXECUTE FUNCTION mark_approvals();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER mark_approvals ON events;
      DROP FUNCTION IF EXISTS mark_approvals, use_approvals, approval_state, editors_of, changed_parts, author_of;
      DROP TABLE task_editors, approval_rounds, approvals;
    `);
  }
}
