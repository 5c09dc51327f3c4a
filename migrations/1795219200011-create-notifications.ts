import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The inbox of each person, who watches a task, and the letters about it. */
export class CreateNotifications1795219200011 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE notifications (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        user_id text COLLATE "C" NOT NULL,
        -- Nobody hears twice of one event.
        event_place bigint NOT NULL,
        workflow_id integer NOT NULL,
        -- NULL where one row stands for the many tasks that one request has assigned.
        task_id bigint,
        tasks integer NOT NULL DEFAULT 1 CHECK (tasks > 0),
        reason text COLLATE "C" NOT NULL CHECK (reason IN ('mentioned', 'assigned', 'approval', 'due', 'failed', 'watching')),
        actor json NOT NULL,
        request_id text COLLATE "C",
        at timestamptz(3) NOT NULL,
        read_at timestamptz(3),
        done_at timestamptz(3),
        snoozed_until timestamptz(3),
        -- A letter that may have been sent is not sent again: what was in it waits for the next digest.
        mail text COLLATE "C" NOT NULL DEFAULT 'none' CHECK (mail IN ('none', 'waiting', 'digest', 'sent')),
        PRIMARY KEY (workspace_id, user_id, event_place),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX notifications_of_request
        ON notifications (workspace_id, user_id, request_id) WHERE request_id IS NOT NULL;
      CREATE INDEX notifications_of_task ON notifications (workspace_id, task_id, user_id);
      CREATE INDEX notifications_old ON notifications (at);
      CREATE INDEX notifications_open ON notifications (workspace_id, user_id, at) WHERE done_at IS NULL;
      CREATE INDEX notifications_to_mail
        ON notifications (workspace_id, user_id, at) WHERE mail IN ('waiting', 'digest');
      CREATE INDEX notifications_unread
        ON notifications (workspace_id, user_id, event_place) WHERE (read_at IS NULL) AND (done_at IS NULL);

      CREATE TABLE watchers (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        task_id bigint NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        workflow_id integer NOT NULL,
        state text COLLATE "C" NOT NULL CHECK (state IN ('auto', 'on', 'muted')),
        PRIMARY KEY (workspace_id, task_id, user_id),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users (workspace_id, id) ON DELETE CASCADE
      );

      CREATE TABLE mail_windows (
        workspace_id integer NOT NULL,
        id text COLLATE "C" NOT NULL DEFAULT random_id(),
        user_id text COLLATE "C" NOT NULL,
        -- The task, or less than zero for what one request has assigned; NULL for the digest.
        thread bigint,
        opened_at timestamptz(3) NOT NULL DEFAULT service_now(),
        is_placed boolean NOT NULL DEFAULT false,
        due_at timestamptz(3) NOT NULL DEFAULT service_now(),
        tries integer NOT NULL DEFAULT 0,
        in_doubt bigint[],
        fence integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        PRIMARY KEY (workspace_id, id),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX mail_windows_due ON mail_windows (due_at);
      CREATE UNIQUE INDEX mail_windows_thread
        ON mail_windows (workspace_id, user_id, thread) NULLS NOT DISTINCT;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE mail_windows, watchers, notifications;
    `);
  }
}
