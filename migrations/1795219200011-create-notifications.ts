import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Notifications, the watchers of tasks, and when notifications are mailed. */
export class CreateNotifications1795219200011 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE notifications (
        workspace_id integer NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        -- A user gets at most one notification of an event.
        event_place bigint NOT NULL,
        workflow_id integer NOT NULL,
        task_id bigint NOT NULL,
        reason text COLLATE "C" NOT NULL CHECK (reason IN ('mentioned', 'assigned', 'approval', 'due', 'failed', 'watching')),
        actor json NOT NULL,
        at timestamptz(3) NOT NULL,
        read_at timestamptz(3),
        done_at timestamptz(3),
        -- The letter that lists the notification if it stays unread.
        mail text COLLATE "C" NOT NULL DEFAULT 'none' CHECK (mail IN ('none', 'prompt', 'digest')),
        PRIMARY KEY (workspace_id, task_id, user_id, event_place),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX notifications_old ON notifications (at);
      CREATE INDEX notifications_open ON notifications (workspace_id, user_id, at) WHERE done_at IS NULL;
      CREATE INDEX notifications_to_mail
        ON notifications (workspace_id, user_id, mail, event_place) WHERE mail <> 'none';
      CREATE INDEX notifications_unread
        ON notifications (workspace_id, user_id, event_place) WHERE (read_at IS NULL) AND (done_at IS NULL);

      CREATE TABLE watchers (
        workspace_id integer NOT NULL,
        task_id bigint NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        workflow_id integer NOT NULL,
        state text COLLATE "C" NOT NULL CHECK (state IN ('auto', 'on', 'muted')),
        PRIMARY KEY (workspace_id, task_id, user_id),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users (workspace_id, id) ON DELETE CASCADE
      );

      CREATE TABLE mail_windows (
        workspace_id integer NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        letter text COLLATE "C" NOT NULL CHECK (letter IN ('prompt', 'digest')),
        due_at timestamptz(3) NOT NULL,
        tries integer NOT NULL DEFAULT 0,
        in_doubt bigint[],
        fence integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        PRIMARY KEY (workspace_id, user_id, letter),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX mail_windows_due ON mail_windows (due_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE mail_windows, watchers, notifications;
    `);
  }
}
